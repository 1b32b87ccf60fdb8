"""Undo the content-encoding of a request body: gzip, deflate, br and zstd, one after another.

A small body can decode to a huge one: what comes out is bounded at every step, and never more than
the limit (and one byte) is made.
"""

import zlib
from collections.abc import Callable
from io import BytesIO

import brotli  # type: ignore[import-untyped] # the package has no types
import zstandard

from tokenlap.errors import BadRequest, UnknownEncoding

STEPS = 4
"""How many encodings may be on top of one another; clients use one."""


class OverLimit(Exception):
    """A body decodes to more than the limit."""


def decoded(body: bytes, header: str, limit: int) -> bytes:
    """Return body without the encodings that a content-encoding header lists, the last one first.

    Raises OverLimit above limit bytes, UnknownEncoding for one that is not known, BadRequest where
    the bytes are not what the header says.
    """
    names = [name.strip().lower() for name in header.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    unknown = [name for name in names if name not in _DECODERS]
    if unknown or len(names) > STEPS:
        raise UnknownEncoding(
            f"Unsupported content-encoding: '{header[:100]}'. Supported values are: "
            "'identity', 'gzip', 'deflate', 'br', and 'zstd'."
        )
    for name in reversed(names):
        try:
            body = _DECODERS[name](body, limit + 1)
        except (zlib.error, brotli.error, zstandard.ZstdError, EOFError):
            raise BadRequest(
                f"The body could not be decoded: it is not the '{name}' data that the "
                "content-encoding header announces."
            ) from None
        if len(body) > limit:
            raise OverLimit
    return body


def _gzip(body: bytes, most: int) -> bytes:
    """Inflate gzip data; it may consist of several members."""
    out = b""
    while True:
        member = zlib.decompressobj(zlib.MAX_WBITS | 16)
        out += member.decompress(body, most - len(out))
        if len(out) >= most:
            return out
        body = _rest(member)
        if not body:
            return out


def _deflate(body: bytes, most: int) -> bytes:
    """Inflate zlib data, or the raw deflate data that some clients send in its place."""
    zlib_header = len(body) > 1 and body[0] & 15 == 8 and int.from_bytes(body[:2]) % 31 == 0
    stream = zlib.decompressobj(zlib.MAX_WBITS if zlib_header else -zlib.MAX_WBITS)
    out = stream.decompress(body, most)
    if len(out) < most and _rest(stream):
        raise EOFError
    return out


def _rest(stream: "zlib._Decompress") -> bytes:
    """Return what follows a finished stream; raises EOFError where it is cut short."""
    if not stream.eof:
        raise EOFError
    return stream.unused_data


def _brotli(body: bytes, most: int) -> bytes:
    stream = brotli.Decompressor()
    out: bytes = stream.process(body, output_buffer_limit=most)
    while not stream.is_finished() and len(out) < most:
        more: bytes = stream.process(b"", output_buffer_limit=most - len(out))
        if not more and stream.can_accept_more_data():
            raise EOFError
        out += more
    return out


def _zstd(body: bytes, most: int) -> bytes:
    """Decode zstd frames; a window of at most 8 MiB, as RFC 9659 asks of senders."""
    reader = zstandard.ZstdDecompressor(max_window_size=8 * 2**20).stream_reader(
        BytesIO(body), read_across_frames=True
    )
    return reader.read(most)


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
