"""Who a person is and how to reach them, as a vCard."""
