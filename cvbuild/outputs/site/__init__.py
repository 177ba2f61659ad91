"""A web site of people: ``output`` makes a page of each, ``index`` the page of all of them."""
