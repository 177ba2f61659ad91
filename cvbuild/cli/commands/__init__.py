"""The commands of the command line, a module each with ``run(arguments) -> exit code``."""
