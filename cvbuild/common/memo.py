"""Answer again, before anything else is imported, what the last build found: nothing changed.

A build that had nothing to do leaves a memo in the user's cache: what it printed, and the stamp of
each file and folder that it looked at, there or not. The next build with the same arguments,
environment, program and day only compares these. A stamp of the last two seconds before the build
proves nothing (``file_state``): with one there is no memo, and the whole check decides.
"""

from __future__ import annotations

import contextlib
import os
import sys

#: So many memos are kept; one takes the place of another.
_PLACES = 64
#: What differs between two calls from one shell.
_VOLATILE = ("_", "OLDPWD", "SHLVL")

#: The stamp of each path that this process has looked at; None while there will be no memo.
seen: dict[str, str] | None = None
#: What this process has printed for people.
said: list[str] = []
_begin = ("", "", "", 0)


def look(*paths: str | os.PathLike[str]) -> None:
    """Let a memo depend on these paths, there or not, as they are before anybody reads them."""
    for path in paths:
        if seen is not None and (name := os.fspath(path)) not in seen:
            seen[name] = _stamp(name)


def answer(now: int) -> None:
    """Print what the last build did and end, if all is as it was; ``now`` is in ns since 1970."""
    global seen, _begin
    named, base = os.environ.get("CVBUILD_CACHE"), os.environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):
        home = os.environ.get("HOME", "")
        base = f"{home}/.cache" if home.startswith("/") else ""
    if sys.argv[1:2] != ["build"] or sys.stderr is None or not (named or base):
        return
    if os.name != "posix" or sys.platform == "darwin":
        # It takes longer to find out where the user's cache is.
        return
    import hashlib  # not for other commands

    try:
        here = os.getcwd()
    except OSError:
        return
    # All that decides what a call does, besides files.
    environment = sorted(one for one in os.environ.items() if one[0] not in _VOLATILE)
    who = (os.geteuid(), os.getgroups(), os.isatty(2), now // (86_400 * 10**9))
    facts = (__file__, sys.version, sys.path, sys.argv[1:], here, environment, who)
    call = hashlib.sha256(repr(facts).encode("utf-8", "surrogateescape")).hexdigest()
    folder = os.path.realpath(named or f"{base}/cvbuild")
    place = os.path.join(folder, "memo", f"{int(call[:8], 16) % _PLACES:02}")
    seen, _begin = {}, (place, call, here, now)
    name, text, *rest = _read(place) or ("", "")
    if name == call and [*map(_stamp, rest[::2])] == rest[1::2]:
        code = 0
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except BrokenPipeError:
            code = 1
        except (OSError, ValueError):
            # What can't be told is lost, as in ``console``.
            pass
        os._exit(code)


def keep(cache: str, tick: int) -> None:
    """Leave the memo in the user's cache, if all stamps are more than ``tick`` ns old."""
    place, call, here, now = _begin
    if not seen or here != os.getcwd() or os.path.dirname(place) != os.path.join(cache, "memo"):
        return
    temporary = f"{place}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        look(cache, os.path.join(cache, "key"))
        stamps = filter(None, seen.values())
        if any(now - int(one.partition(" ")[0]) <= tick for one in stamps):
            return
        fields = [call, "".join(said), *(part for pair in seen.items() for part in pair)]
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write("\0".join(fields).encode("utf-8", "surrogateescape"))
        os.replace(temporary, place)
    except (OSError, ValueError):
        # Without a memo the next build makes the whole check.
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _read(place: str) -> list[str] | None:
    """Return the fields of a memo that only this user can have written."""
    try:
        number = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(number, "rb") as file:
            state = os.fstat(number)
            if state.st_uid != os.geteuid() or state.st_mode & 0o077:
                return None
            return file.read().decode("utf-8", "surrogateescape").split("\0")
    except (OSError, ValueError):
        return None


def _stamp(path: str) -> str:
    """Return what changes when a file or folder does, the time of the last change first."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return ""
    written, changed = state.st_mtime_ns, state.st_ctime_ns
    return f"{max(written, changed)} {written} {state.st_size} {state.st_ino} {state.st_mode}"
