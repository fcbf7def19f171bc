"""Where the plugin's native code runs, as a table.

Nothing here looks at the machine it runs on: callers name a platform and learn what can be
promised for it. The table is the component's own, in `platforms.json`.

    python -m rextio_torch.platforms --os linux --arch x64 --expect experimental --require-native
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Literal, get_args

__all__ = [
    "HOST_PROFILES",
    "HostProfile",
    "NativeRuntimeUnavailable",
    "host_profile",
    "main",
    "require_native_runtime",
]

System = Literal["linux", "macos"]
Architecture = Literal["x86", "x64", "arm32", "arm64"]
Status = Literal["certified", "experimental", "availability-gated", "unsupported"]
NativeE2E = Literal["required", "experimental", "unavailable"]


@dataclass(frozen=True, slots=True)
class HostProfile:
    """What can be promised for one platform.

    Attributes:
        os: The operating system.
        arch: The architecture.
        status: What is promised.
        native_e2e: What running native code there is to the tests.
        reason_code: The stable reason for the status.
        detail: The reason in words.
    """

    os: System
    arch: Architecture
    status: Status
    native_e2e: NativeE2E
    reason_code: str
    detail: str

    @property
    def key(self) -> str:
        """The platform as one word, such as `linux-x64`."""
        return f"{self.os}-{self.arch}"


class NativeRuntimeUnavailable(RuntimeError):  # noqa: N818 - the name is public
    """There is no native code for a platform.

    Attributes:
        key: The platform.
        reason_code: The stable reason.
    """

    def __init__(self, profile: HostProfile) -> None:
        """Say why, for the platform of this profile."""
        self.key = profile.key
        self.reason_code = profile.reason_code
        super().__init__(
            f"rextio-torch has no native code for {self.key} [{self.reason_code}]: {profile.detail}"
        )


HOST_PROFILES: tuple[HostProfile, ...] = tuple(
    HostProfile(**row)
    for row in json.loads(
        resources.files("rextio_torch").joinpath("platforms.json").read_text("utf-8")
    )
)
"""Every platform that is known."""


def host_profile(os_name: str, arch: str) -> HostProfile:
    """Return the profile of a platform.

    Args:
        os_name: `linux` or `macos`.
        arch: `x86`, `x64`, `arm32` or `arm64`.

    Raises:
        ValueError: The pair is not in the table.
    """
    for profile in HOST_PROFILES:
        if (profile.os, profile.arch) == (os_name, arch):
            return profile
    known = ", ".join(profile.key for profile in HOST_PROFILES)
    raise ValueError(f"rextio-torch knows no platform {os_name}-{arch}; it knows {known}")


def require_native_runtime(os_name: str, arch: str) -> HostProfile:
    """Return the profile of a platform on which native code runs.

    Raises:
        NativeRuntimeUnavailable: There is no native code for it.
        ValueError: The pair is not in the table.
    """
    profile = host_profile(os_name, arch)
    if profile.native_e2e == "unavailable":
        raise NativeRuntimeUnavailable(profile)
    return profile


def main(argv: Sequence[str] | None = None) -> int:
    """Check what the table says of a platform; print it and return 0.

    Raises:
        NativeRuntimeUnavailable: Native code is required, and there is none.
        SystemExit: The arguments are wrong, or the status is not the expected one.
    """
    parser = argparse.ArgumentParser(
        prog="python -m rextio_torch.platforms",
        description="Check what can be promised for a platform.",
    )
    parser.add_argument("--os", choices=get_args(System), required=True)
    parser.add_argument("--arch", choices=get_args(Architecture), required=True)
    parser.add_argument(
        "--expect", choices=get_args(Status), required=True, help="the status it must have"
    )
    parser.add_argument(
        "--require-native", action="store_true", help="fail where there is no native code"
    )
    arguments = parser.parse_args(argv)
    profile = host_profile(arguments.os, arguments.arch)
    if profile.status != arguments.expect:
        raise SystemExit(
            f"rextio-torch: {profile.key} is {profile.status}, not {arguments.expect} "
            f"[{profile.reason_code}]: {profile.detail}"
        )
    if arguments.require_native:
        require_native_runtime(arguments.os, arguments.arch)
    print(
        f"{profile.key}: status={profile.status} native_e2e={profile.native_e2e} "
        f"reason_code={profile.reason_code}"
    )
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except NativeRuntimeUnavailable as error:
        raise SystemExit(str(error)) from None
