"""A photo or a signature: found in the YAML's folder, checked, decoded and re-encoded by Pillow."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from cvbuild.common.diagnostics import CvbuildError, FieldPath, ProfileError, quoted
from cvbuild.common.files import safe_files
from cvbuild.inputs.yaml.tree import Source

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_BYTES = 10 * 1024 * 1024
#: Pillow holds a whole picture, 4 bytes per pixel, and needs more for each row. Within these limits
#: decoding takes about 450 MB at most, and far less for a JPEG, which is decoded at a reduced size.
MAX_PIXELS, MAX_SIDE = 50_000_000, 20_000
#: Longest side in pixels of a picture in the PDF: 32 mm at 600 dpi.
SIDE = 760
FORMATS = ("PNG", "JPEG")
_HINT = "name a PNG or JPEG file in this file's folder"
_OTHER, _SMALLER = "choose a PNG or JPEG picture", "make it smaller: 1000 × 1300 is plenty"


def load(name: str, folder: Path, source: Source, path: FieldPath = ("photo",)) -> bytes:
    """Return the picture as an RGB JPEG without metadata, at most SIDE pixels high and wide.

    Raises ProfileError, located at ``path``, for a file that is missing, outside the folder, not a
    PNG or JPEG, over 10 MiB, over 50 million pixels or over 20,000 on one side.
    """
    picture = _Picture(name, source, path)
    try:
        data = safe_files.read_sibling(safe_files.sibling(name, folder), MAX_BYTES)
    except safe_files.SiblingFileError as error:
        raise picture.error(*error.describe(name, picture.kind, "10 MiB")) from None
    return picture.decode(data)


def clean(data: bytes) -> bytes:
    """Return a photo that no file names yet as ``load`` does; raises ProfileError as it does."""
    picture = _Picture("", None, ("photo",))
    if len(data) > MAX_BYTES:
        raise picture.error("large", 'the photo "" is over 10 MiB', "make it smaller")
    return picture.decode(data)


def sides(data: bytes) -> tuple[int, int]:
    """Return width and height in pixels of what ``clean`` returned."""
    import PIL.Image

    with PIL.Image.open(io.BytesIO(data), formats=FORMATS) as image:
        return image.size


class _Picture(Struct, frozen=True):
    """A picture that a field names; without a ``source`` it has no name."""

    name: str
    source: Source | None
    path: FieldPath

    @property
    def kind(self) -> str:
        return str(self.path[-1])

    def error(self, code: str, message: str, hint: str = _HINT) -> CvbuildError:
        span = self.source.span(self.path) if self.source else None
        hint = _OTHER if hint == _HINT and not self.source else hint
        if self.source is None or self.source.is_private(self.path):
            for called in (quoted(self.name, 100), f'"{self.name}"'):
                message = message.replace(f"{self.kind} {called}", self.kind)
                message = message.replace(called, f"the {self.kind}")
        return ProfileError.because(f"{self.kind}-{code}", message, hint, span)

    def decode(self, data: bytes) -> bytes:
        import PIL.Image
        from PIL import ImageOps, UnidentifiedImageError

        try:
            with warnings.catch_warnings():
                # Of many pixels, for which there is our own limit, and of faulty EXIF.
                warnings.simplefilter("ignore")
                with PIL.Image.open(io.BytesIO(data), formats=FORMATS) as image:
                    width, height = image.size
                    if width * height > MAX_PIXELS or max(image.size) > MAX_SIDE:
                        fact = f'the {self.kind} "{self.name}" has {width} × {height} pixels'
                        raise self.error("large", fact, _SMALLER)
                    upright = ImageOps.exif_transpose(_small(image)).convert("RGBA")
        except (UnidentifiedImageError, PIL.Image.DecompressionBombError):
            raise self.error("format", f'"{self.name}" is not a PNG or JPEG picture') from None
        except MemoryError:
            fact = f'the {self.kind} "{self.name}" needs more memory than there is'
            raise self.error("memory", fact, _SMALLER) from None
        except (OSError, SyntaxError, ValueError, ArithmeticError, LookupError, TypeError):
            raise self.error("broken", f'the {self.kind} "{self.name}" is broken') from None
        flat = PIL.Image.new("RGB", upright.size, "white")
        flat.paste(upright, mask=upright.getchannel("A"))
        encoded = io.BytesIO()
        flat.save(encoded, "JPEG", quality=92)
        return encoded.getvalue()


def _small(image: Image) -> Image:
    """Return the picture at most SIDE pixels on a side; made first, as each step makes a copy."""
    if image.mode.startswith("I"):
        # Grey of 16 bits: Pillow's own way to 8 would cut all values over 255.
        image = image.convert("I")
        image.thumbnail((SIDE, SIDE))
        return image.point(lambda value: value * (1 / 256)).convert("L")
    if image.mode == "PA" or "transparency" in image.info:
        # One colour that means transparent can't be mixed with others, nor can those of a palette.
        image = image.convert("RGBA")
    elif image.mode in ("1", "P"):
        image = image.convert("L" if image.mode == "1" else "RGB")
    image.thumbnail((SIDE, SIDE))
    return image
