"""What is done otherwise on purpose, and what cannot be asked of this server; and what the platform
leaves open.
"""

_CLIENT = "it is about what clients do"

DEVIATES: dict[int, str] = {
    36: "the model is echoed as it was asked for: tests and gateways compare it, and no snapshot "
    "stands behind a name here",
    47: "left out, as in 113 of 115 recordings; responses have it, where the document demands it",
    70: "a single call opens as several do, with a chunk of its own after the role (statement 71): "
    "when the first call opens, nobody knows yet whether it stays the only one",
    113: "images are accepted, counted roughly and not looked at, so that an application can be "
    "tested with them",
    170: "a message has its own role, though the document knows no other than assistant here",
}
NOT_APPLICABLE: dict[int, str] = {
    69: "nothing is moderated in a chat; `/v1/moderations` is an endpoint of its own",
    157: "there are no rate limits per key yet; a full queue answers 429 `rate_limit_exceeded`",
    158: "there is no quota",
    161: _CLIENT,
    162: _CLIENT,
    163: _CLIENT,
    164: _CLIENT,
    165: _CLIENT,
    166: _CLIENT,
    167: _CLIENT,
    213: "reasoning is shown as a summary, never raw",
    219: "no text is annotated here",
    220: "no model here searches the web",
}
WITH_STRICT = frozenset({12, 105, 107, 121, 138, 140, 150, 183, 230})
"""Held with --strict; without it the server is more tolerant than the platform."""
CHOICES: tuple[str, ...] = (
    "Of equal keys in a JSON object the last one counts, everywhere: in what is answered, in "
    "`content-type`, in the access line.",
    "A byte order mark before the JSON is passed over; UTF-16, and bytes that are no UTF-8, are a "
    "400.",
    "JSON is read under any content type, since `curl -d` sends none; with `--strict` another one "
    "is the platform's 400.",
    "Numbers beyond a double (`1e999`, integers of more than 308 digits) are a 400 wherever they "
    "stand, unknown parameters included; so is JSON nested more than 200 deep.",
    "Any model name is answered, and unknown parameters are ignored and named in the header "
    "`x-tokenlap-ignored`; with `--strict` they are the platform's 404 and 400, and so are the "
    "parameters that only engines know (`top_k`, `ignore_eos` and the like).",
    "`--strict` knows the models that `/v1/models` lists; `--model-names` adds names to them, and "
    "names of reasoning models bring the restrictions of those.",
    "The rules for tool messages (116, 117) hold with and without `--strict`: there is no lenient "
    "mode in which an order passes that the platform refuses.",
    "With both given, `max_completion_tokens` wins over `max_tokens`.",
    "Content parts of an unknown type are ignored; with `--strict` they are a 400.",
    "A reply whose last allowed token also stops it says `stop`; one that is cut at the cap says "
    "`length`, even where nothing would have followed but the end token.",
    "A stop sequence has 1 to 4,096 characters, a conversation up to 2,048 messages, and a request "
    "may have 1,048,576 tokens written, all choices together (with logprobs an eighth of that).",
    "Request bodies may be compressed (gzip, deflate, br, zstd), up to the same limit once they "
    "are decoded; another `content-encoding` is a 415.",
    "A body over `--max-body-size` is a 413 at once, with `connection: close`.",
    "Obfuscation is left out, and no keep-alive is sent.",
)
