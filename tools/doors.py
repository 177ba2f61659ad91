"""A contract for import-linter: a room, which is a package, is entered by its doors alone.

Doors are the modules that others than the room's own import, and those in packages inside it. They
are listed in pyproject.toml, so that a further one is somebody's decision.
"""

from __future__ import annotations

from collections import defaultdict

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

#: So many doors a room may have.
MOST = 6


class Doors(Contract):
    """``rooms`` lists the doors of each: ``outputs.pdf: . output``; a dot is the package itself."""

    type_name = "doors"
    rooms = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002
        """Compare the doors that are used with those that are listed."""
        (top,) = (name for name in graph.modules if "." not in name)
        faults = list[str]()
        listed = dict[str, set[str]]()
        rows: list[str] = self.rooms  # type: ignore[assignment]
        for row in rows:
            room, _, doors = row.partition(":")
            listed[room] = set(doors.split())
        used = defaultdict[str, set[str]](set)
        for module in sorted(graph.modules - {top}):
            package = module if graph.find_children(module) else module.rpartition(".")[0]
            room = package.removeprefix(f"{top}.")
            door = module.removeprefix(package).removeprefix(".") or "."
            for importer in sorted(graph.find_modules_that_directly_import(module)):
                if package != top and not f"{importer}.".startswith(f"{package}."):
                    used[room].add(door)
                    if door not in listed.get(room, ()):
                        others = " ".join(sorted(listed.get(room, ()))) or "none, as it has no row"
                        fault = f"{importer} imports {module}, which is no door"
                        faults.append(f"{fault}; those of {room} in pyproject.toml: {others}")
        for room, allowed in listed.items():
            faults += [f"{room}: nobody enters by {door}" for door in sorted(allowed - used[room])]
            if len(allowed) > MOST:
                fault = f"{room} has {len(allowed)} doors, at most {MOST} are allowed"
                faults.append(f"{fault}: put what belongs together into a room inside it")
        return ContractCheck(kept=not faults, metadata={"faults": faults})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print what is wrong."""
        for fault in check.metadata["faults"]:
            output.print_error(fault, bold=False)
