"""Word files: their text with its styles, as the blocks that Markdown becomes, too."""
