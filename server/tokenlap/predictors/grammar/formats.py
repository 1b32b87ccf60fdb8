"""Formats of strings, each as a pattern that is easy to write and that every checker accepts.

Narrower than the formats themselves: dates lie in our century and before the 29th, addresses belong
to the domains that are kept for examples (RFC 2606). A time has no offset, which RFC 3339 would
want: pydantic, zod and Python's jsonschema take it so, some of them only so. An unknown format is
an annotation, as JSON schema has it, and changes nothing.
"""

from collections.abc import Mapping

_DATE = r"20[0-3][0-9]-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"
_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_HOST = r"([a-z]{2,12}\.)?example\.(com|org|net)"
_OCTET = r"(25[0-4]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_HEX = "[0-9a-f]"
_LOCAL = r"[a-z]{2,10}([._][a-z]{2,10})?"

_TIME_OF_DAY = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?"
_OFFSET = r"(Z|[+-](0[0-9]|1[0-4]):[03]0)"
_ANY_DATE = r"[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"
_ANY_HOST = r"([a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?\.){0,3}[a-z]{2,12}"

PATTERNS: Mapping[str, str] = {
    "date": f"^{_DATE}$",
    "time": f"^{_TIME}$",
    "date-time": f"^{_DATE}T{_TIME}Z$",
    "duration": r"^P([1-9][0-9]?D|T[1-9][0-9]?[HM]|[1-9]W)$",
    "email": f"^{_LOCAL}@{_HOST}$",
    "idn-email": f"^{_LOCAL}@{_HOST}$",
    "hostname": f"^{_HOST}$",
    "idn-hostname": f"^{_HOST}$",
    "ipv4": rf"^({_OCTET}\.){{3}}{_OCTET}$",
    "ipv6": rf"^2001:db8(:[1-9a-f]{_HEX}{{0,3}}){{6}}$",
    "uuid": rf"^{_HEX}{{8}}-{_HEX}{{4}}-4{_HEX}{{3}}-[89ab]{_HEX}{{3}}-{_HEX}{{12}}$",
    "uri": rf"^https://{_HOST}(/[a-z0-9-]{{1,12}}){{0,3}}$",
    "iri": rf"^https://{_HOST}(/[a-z0-9-]{{1,12}}){{0,3}}$",
    "uri-reference": r"^(/[a-z0-9-]{1,12}){1,3}$",
    "iri-reference": r"^(/[a-z0-9-]{1,12}){1,3}$",
    "uri-template": r"^(/[a-z]{1,10}){1,2}/\{[a-z]{1,8}\}$",
    "json-pointer": r"^(/[a-z0-9]{1,10}){1,3}$",
    "relative-json-pointer": r"^[0-3](/[a-z0-9]{1,10}){1,2}$",
    "regex": r"^[a-z]{1,12}$",
}
WIDER: Mapping[str, str] = {
    "date": f"^{_ANY_DATE}$",
    "time": f"^{_TIME_OF_DAY}{_OFFSET}?$",
    "date-time": f"^{_ANY_DATE}T{_TIME_OF_DAY}{_OFFSET}$",
    "email": rf"^[A-Za-z0-9]+([._+-][A-Za-z0-9]+){{0,3}}@{_ANY_HOST}$",
    "hostname": f"^{_ANY_HOST}$",
    "ipv4": r"^([1-9]?[0-9]\.){3}[1-9]?[0-9]$",
    "ipv6": rf"^({_HEX}{{1,4}}(:{_HEX}{{1,4}}){{0,5}})?::({_HEX}{{1,4}})?$",
    "uuid": rf"^{_HEX}{{8}}-({_HEX}{{4}}-){{3}}{_HEX}{{12}}$",
    "uri": rf"^[a-z][a-z0-9+]{{1,8}}://{_ANY_HOST}(:[1-9][0-9]{{1,3}})?(/[A-Za-z0-9._~-]*)*$",
    "uri-reference": r"^(/[A-Za-z0-9._~-]*)+$",
    "json-pointer": r"^(/[A-Za-z0-9_]*)*$",
}
"""What is tried where a pattern or a length beside the format leaves nothing of the usual one."""
