"""The functions of the commands, each ``run(arguments) -> exit code``.

A command's module has its name, unless ``cli.command_table`` names another function.
"""
