"""What every route stands on: settings, models, clock, calls. Made once in app.py and handed
down.
"""

import hmac
import os
import time
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from starlette.requests import Request

from tokenlap.api.calls import Call, Calls
from tokenlap.api.headers import header
from tokenlap.delivery.background import Background
from tokenlap.delivery.deployment import Deployments
from tokenlap.delivery.drain import Drain
from tokenlap.delivery.pace import Clock
from tokenlap.engine.batch import Model
from tokenlap.errors import NotFound, Unauthorized
from tokenlap.settings import Settings
from tokenlap.store import Store

NO_KEY = (
    "You didn't provide an API key. You need to provide your API key in an Authorization header "
    "using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank "
    "username) if you're accessing the API from your browser and are prompted for a username and "
    "password. You can obtain an API key from https://platform.openai.com/account/api-keys."
)
FINGERPRINT = "fp_70c3a1a9e0"
"""The system_fingerprint: constant, since a seed gives the same reply on every machine and version
of this model.
"""


_KEY = "tokenlap.key"


def random_id(prefix: str) -> str:
    """Return a new id such as chatcmpl-5f0c...: prefix and 30 hexadecimal digits."""
    return prefix + os.urandom(15).hex()


@dataclass(frozen=True, slots=True)
class Backend:
    """The parts that routes share.

    models: by id, those listed under /v1/models; default: who answers to every other name.
    deployments: how fast which model answers.
    now: seconds since 1970, for `created`; clock: the one that paces. store: what outlives a
    request, in collections that `collection` names; drain, background: the streams under way.
    """

    settings: Settings
    models: dict[str, Model]
    default: Model
    calls: Calls
    deployments: Deployments
    store: Store
    drain: Drain
    background: Background
    clock: Clock = field(default_factory=Clock)
    now: Callable[[], float] = time.time
    new_id: Callable[[str], str] = random_id
    started: int = field(default_factory=lambda: int(time.time()))

    def model(self, name: str) -> Model:
        """Return the model that answers to name; raises NotFound for an unlisted one with
        --strict.
        """
        if name in self.models:
            return self.models[name]
        if self.settings.strict:
            raise no_model(name)
        return self.default

    def key(self, request: Request) -> str:
        """Return the API key of a request, "" for none; raises Unauthorized where it is not good
        enough.
        """
        if _KEY not in request.scope:  # asked for several times on the way of one request
            request.scope[_KEY] = self._checked_key(request)
        known: str = request.scope[_KEY]
        return known

    def _checked_key(self, request: Request) -> str:
        scope = request.scope
        key = header(scope, b"api-key") or _key_in(header(scope, b"authorization") or "")
        accepted = self.settings.api_key
        if not key and (self.settings.strict or accepted):
            raise Unauthorized(NO_KEY)
        # Compared as bytes in constant time: a key must not be guessable letter by letter.
        if accepted and not any(
            hmac.compare_digest(key.encode(), known.encode()) for known in accepted
        ):
            raise Unauthorized(
                f"Incorrect API key provided: {masked(key)}. "
                "You can find your API key at https://platform.openai.com/account/api-keys.",
                code="invalid_api_key",
            )
        return key

    def new_call(self, request: Request, *, stream: bool, model: str, prompt_tokens: int) -> Call:
        """Return the call of a request that has passed all checks."""
        return Call(
            id=request.scope.get("tokenlap.request_id", ""),
            endpoint=request.scope["path"],
            stream=stream,
            model=model,
            prompt_tokens=prompt_tokens,
            key=last_of(self.key(request)),
            arrived=request.scope.get("tokenlap.arrived") or self.clock.now(),
        )


def collection(kind: str, key: str) -> str:
    """Return the name of what is stored of this kind for an API key: a key sees its own alone."""
    return f"{kind} {key}"


def no_model(name: str) -> NotFound:
    """Return the platform's answer to an unknown model (recorded: 404, param null)."""
    return NotFound(
        f"The model `{name}` does not exist or you do not have access to it.",
        code="model_not_found",
    )


def last_of(key: str) -> str:
    """Return what a log may show of a key: its last 4 characters, nothing of a short one."""
    return key[-4:] if len(key) >= 12 else ""


def masked(key: str) -> str:
    """Return a key that may be shown: at most its first 3 and last 4 characters, fewer of a short
    one.
    """
    return f"{key[:3]}***{key[-4:]}" if len(key) >= 12 else "***"


def _key_in(authorization: str) -> str:
    """Return the key of an authorization header: a bearer, or the password of a basic one."""
    scheme, _, value = authorization.partition(" ")
    match scheme.lower():
        case "bearer":
            return value.strip()
        case "basic":
            with suppress(ValueError):
                return b64decode(value).decode().partition(":")[2]
    return ""
