"""Probes that a hostile template runs in LuaTeX: each writes to the log whether it reached a path.

A probe is a name and Lua code that returns true if it reached what it should not. The controls
return true wherever the probes work at all.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

READ = {
    "io.open": "local f = io.open(P, 'rb'); return f and f:read(1) ~= nil",
    "io.lines": "for line in io.lines(P) do return true end",
    "io.input": "io.input(P); return io.read(1) ~= nil",
    "loadfile": "local f, e = loadfile(P); return f ~= nil or not e:find('^cannot open')",
    "rename": "return os.rename(P, 'stolen.tex')",
    "hard link": "return lfs.link(P, 'stolen.lnk', false) and io.open('stolen.lnk'):read(1)",
    "link": "lfs.link(P, 'stolen.sym', true); return io.open('stolen.sym', 'rb'):read(1) ~= nil",
    "gzip": "local f = gzip.open(P, 'rb'); return f and f:read(1) ~= nil",
    "pdf": "local d = pdfe.open(P); return d and pdfe.getsize(d) > 0",
}
#: bwrap shows the names on the way to what may be read, and no other.
LIST = {
    "lfs.dir": "for name in lfs.dir(P) do if string.find('SECRETS', ' ' .. name .. ' ', 1, true) "
    "then return true end end".replace("SECRETS", " .ssh id_rsa notes.txt .env people bob key ")
}
WRITE = {
    "io.open": "local f = io.open(P, 'wb'); f:write('x'); f:close(); return true",
    "append": "local f = io.open(P, 'ab'); f:write('x'); f:close(); return true",
    "io.output": "io.output(P); io.write('x'); io.close(); return true",
    "rename": "io.open('mine', 'w'):close(); return os.rename('mine', P)",
    "mkdir": "return lfs.mkdir(P)",
    "hard link": "io.open('mine', 'w'):close(); return lfs.link('mine', P, false) == 0",
    "link": "return lfs.link('/etc', P, true) == 0",
    "gzip": "local f = gzip.open(P, 'wb'); f:write('x'); f:close(); return true",
}
REMOVE = {
    "os.remove": "return os.remove(P)",
    "lfs.rmdir": "return lfs.rmdir(P)",
    "lfs.touch": "return lfs.touch(P, 1, 1)",
    "lfs.lockdir": "return lfs.lock_dir(P) ~= nil",
}
RUN = {
    "os.execute": "local r = os.execute('touch PROJECT/owned'); return r == 0 or r == true",
    "io.popen": "local f = io.popen('id'); return f:read('*a'):find('uid=') ~= nil",
    "os.spawn": "return os.spawn({'touch', 'PROJECT/owned'}) == 0",
    "os.exec": "return os.exec({'touch', 'PROJECT/owned'}) == 0",
    "require socket": "return require('socket') ~= nil",
    "socket": "return socket.tcp() ~= nil",
    "socket.core": "return require('socket.core').udp() ~= nil",
    "require ffi": "return require('ffi').C ~= nil",
    "ffi": "return ffi.cdef('int system(const char *);') ~= false",
    "loadlib": "return package.loadlib('libc.so.6', 'system') ~= nil",
    "loadlib *": "return package.loadlib('libc.so.6', '*')",
    "registry": "local f = debug.getregistry()._LOADED.io.popen('id'); "
    "return f:read('*a'):find('uid=') ~= nil",
    "environ": "for _, v in pairs({'USER', 'CVBUILD_CACHE', 'PYTEST_CURRENT_TEST'}) do "
    "if os.getenv(v) then return true end end",
    "kpse out": "return kpse.check_permission and kpse.check_permission('id')",
    "latexmkrc": "for _, n in pairs({'latexmkrc', '.latexmkrc', '.home/.latexmkrc'}) do "
    "io.open(n, 'w'):write('system(\"touch owned-by-latexmk\");') end return false",
}  # fmt: skip
CONTROLS = {
    "read": "return io.open('cv.tex'):read(1) ~= nil",
    "read the template": "return io.open('TEMPLATE/cvb-evil.sty'):read(1) ~= nil",
    "list": "for name in lfs.dir('.') do return true end",
    "write": "local f = io.open('made.txt', 'w'); f:write('x'); f:close(); return true",
    "rename": "return os.rename('made.txt', 'renamed.txt')",
    "remove": "return os.remove('renamed.txt')",
    "mkdir": "return lfs.mkdir('made') and lfs.rmdir('made')",
}


class Places(NamedTuple):
    """A user's home, the project and the template in it, and the cache."""

    home: Path
    project: Path
    template: Path
    cache: Path


def probes(places: Places) -> dict[str, str]:
    """All probes by name."""
    home, project, cache = places.home, places.project, places.cache
    files = (
        home / ".ssh/id_rsa", home / "notes.txt", home / "other/people/bob.yaml",
        project / "people/ada.yaml", project / "out/bob/academic.pdf", project / ".env",
        project / "out/.build/bob/academic/cv.tex", cache / "key", Path("/etc/passwd"),
        Path("/proc/self/environ"), Path(f"/proc/{os.getpid()}/environ"),
    )  # fmt: skip
    folders = (home, home / ".ssh", project, project / "people", project / "out", cache)
    fonts = cache / "luatex/shared/luatex-cache/generic/fonts/otl"
    new = (
        home / "owned", home / ".ssh/owned", project / "owned", project / "people/owned.yaml",
        places.template / "owned.sty", cache / "owned", cache / "luatex/shared/owned",
        cache / "formats/owned.fmt", fonts / "owned.luc", project / "out/owned.pdf", "../owned",
    )  # fmt: skip
    own = (home / "notes.txt", project / "people/ada.yaml", places.template / "template.yaml")
    found = {f"{kind} {path}": _at(path, code) for path in files for kind, code in READ.items()}
    found |= {f"{kind} {path}": _at(path, code) for path in folders for kind, code in LIST.items()}
    found |= {f"new {kind} {path}": _at(path, code) for path in new for kind, code in WRITE.items()}
    found |= {f"{kind} {path}": _at(path, code) for path in own for kind, code in REMOVE.items()}
    found |= {
        f"write {kind} {path}": _at(path, WRITE[kind])
        for path in own
        for kind in ("io.open", "append", "io.output", "rename")
    }
    return found | RUN


def script(probed: dict[str, str], places: Places) -> str:
    """A Lua program that runs the controls and the probes."""
    whole = {f"control {name}": code for name, code in CONTROLS.items()} | probed
    lines = [f"probe({json.dumps(name)}, function() {code} end)" for name, code in whole.items()]
    text = "\n".join(lines).replace("PROJECT", str(places.project))
    return _HEAD + text.replace("TEMPLATE", str(places.template)) + "\n"


def _at(path: Path | str, code: str) -> str:
    return f"local P = {json.dumps(str(path))}; {code}"


_HEAD = """\
local out = io.stdout
local function probe(name, f)
  local fine, reached = pcall(f)
  io.output(out)
  io.input(io.stdin)
  texio.write_nl("log", "PROBE " .. name .. " " .. (fine and reached and "REACHED" or "denied"))
  texio.write_nl("log", "")
end
"""
