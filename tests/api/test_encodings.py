import gzip
import zlib

import brotli  # type: ignore[import-untyped] # the package has no types
import pytest
import zstandard

from tokenlap.api.encodings import STEPS, OverLimit, decoded
from tokenlap.errors import BadRequest, UnknownEncoding

BODY = b'{"model":"m","messages":[]}' * 100
LIMIT = 1_000_000


def deflated(body: bytes) -> bytes:
    """Raw deflate data, without the zlib header that the name promises."""
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(body) + compressor.flush()


def zstandard_frames(body: bytes) -> bytes:
    compressor = zstandard.ZstdCompressor()
    return compressor.compress(body[:50]) + compressor.compress(body[50:])


@pytest.mark.parametrize(
    ("header", "encoded"),
    [
        pytest.param("", BODY, id="none"),
        pytest.param("identity", BODY, id="identity"),
        pytest.param("gzip", gzip.compress(BODY), id="gzip"),
        pytest.param("x-gzip", gzip.compress(BODY), id="x-gzip"),
        pytest.param("GZIP", gzip.compress(BODY), id="any case"),
        pytest.param("gzip", gzip.compress(BODY[:9]) + gzip.compress(BODY[9:]), id="gzip members"),
        pytest.param("deflate", zlib.compress(BODY), id="deflate"),
        pytest.param("deflate", deflated(BODY), id="raw deflate"),
        pytest.param("br", brotli.compress(BODY), id="br"),
        pytest.param("zstd", zstandard.ZstdCompressor().compress(BODY), id="zstd"),
        pytest.param("zstd", zstandard_frames(BODY), id="zstd frames"),
        pytest.param("gzip, br", brotli.compress(gzip.compress(BODY)), id="one upon the other"),
    ],
)
def test_a_body_is_what_it_was_before_its_encodings(header: str, encoded: bytes) -> None:
    assert decoded(encoded, header, LIMIT) == BODY


@pytest.mark.parametrize(
    ("header", "encoded"),
    [
        pytest.param("gzip", gzip.compress(bytes(LIMIT + 1)), id="gzip"),
        pytest.param("gzip", gzip.compress(bytes(LIMIT)) + gzip.compress(b"x"), id="gzip members"),
        pytest.param("deflate", zlib.compress(bytes(LIMIT + 1)), id="deflate"),
        pytest.param("br", brotli.compress(bytes(LIMIT + 1)), id="br"),
        pytest.param("zstd", zstandard.ZstdCompressor().compress(bytes(LIMIT + 1)), id="zstd"),
        pytest.param(
            "gzip, gzip", gzip.compress(gzip.compress(bytes(50 * LIMIT))), id="one upon the other"
        ),
    ],
)
def test_a_bomb_is_stopped_at_the_limit(header: str, encoded: bytes) -> None:
    assert len(encoded) < LIMIT / 10

    with pytest.raises(OverLimit):
        decoded(encoded, header, LIMIT)


def test_a_body_of_exactly_the_limit_passes() -> None:
    assert len(decoded(gzip.compress(bytes(LIMIT)), "gzip", LIMIT)) == LIMIT


@pytest.mark.parametrize("header", ["gzip", "deflate", "br"])
@pytest.mark.parametrize("cut", ["cut short", "no such data", "followed by more"])
def test_what_is_not_as_announced_is_refused(header: str, cut: str) -> None:
    whole = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}[header](BODY)
    damaged = {
        "cut short": whole[:-6],
        "no such data": BODY,
        "followed by more": whole + b"more",
    }[cut]

    with pytest.raises(BadRequest, match=f"it is not the '{header}' data"):
        decoded(damaged, header, LIMIT)


@pytest.mark.parametrize("header", ["lzma", "gzip, compress", ", ".join(["gzip"] * (STEPS + 1))])
def test_an_unknown_encoding_is_named_with_those_that_are_known(header: str) -> None:
    with pytest.raises(UnknownEncoding, match=r"'identity', 'gzip', 'deflate', 'br', and 'zstd'"):
        decoded(BODY, header, LIMIT)
