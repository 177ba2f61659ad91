"""A web site of people: a page of each, and the page of all of them."""
