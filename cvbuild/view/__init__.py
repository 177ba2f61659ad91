"""What a reader sees: strings ready to be shown, however each output lets them look."""
