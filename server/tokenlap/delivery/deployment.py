"""A simulated deployment: latency, batch, queue and prefix cache of one engine; and which model has
which.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tokenlap.delivery.latency import Latency
from tokenlap.delivery.load import Batch
from tokenlap.delivery.prefix import PrefixCache
from tokenlap.delivery.profiles import Profile
from tokenlap.delivery.queue import Queue, Refusal


@dataclass(frozen=True, slots=True)
class Bounds:
    """What bounds a deployment beside its profile.

    max_queued: requests that may wait; full: the status of one more; cache_tokens: the prefix
    cache.
    """

    max_queued: int = 1024
    full: Refusal = 429
    cache_tokens: int = 262_144


@dataclass(frozen=True, slots=True)
class Deployment:
    """One engine, as its clients feel it."""

    latency: Latency
    batch: Batch
    queue: Queue
    cache: PrefixCache

    @classmethod
    def of(cls, profile: Profile, bounds: Bounds, now: Callable[[], float]) -> "Deployment":
        """Return an idle deployment. now: the clock that paces."""
        batch = Batch(profile.load, now)
        queue = Queue(batch, now, bounds.max_queued, bounds.full)
        return cls(profile.latency, batch, queue, PrefixCache(bounds.cache_tokens))


@dataclass(frozen=True, slots=True)
class Deployments:
    """The deployments of a server: by pattern of model name, and the one for every other name."""

    default: Deployment
    by_model: Mapping[str, Deployment]

    def of_model(self, name: str) -> Deployment:
        """Return the deployment of a model; the first pattern that matches wins (`*` and `?`)."""
        for pattern, deployment in self.by_model.items():
            if fnmatchcase(name, pattern):
                return deployment
        return self.default

    @property
    def all(self) -> tuple[Deployment, ...]:
        """Every deployment, the default first."""
        return (self.default, *self.by_model.values())

    @property
    def running(self) -> int:
        """Sequences that run now."""
        return sum(deployment.batch.running for deployment in self.all)

    @property
    def waiting(self) -> int:
        """Requests that wait for a slot."""
        return sum(deployment.queue.waiting for deployment in self.all)
