"""The functions of the commands, each ``run(arguments) -> exit code``."""
