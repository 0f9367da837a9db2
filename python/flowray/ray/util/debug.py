"""ray.util.debug: what is to be logged once."""

import time

__all__ = ["disable_log_once_globally", "enable_periodic_logging", "log_once", "reset_log_once"]

_SECONDS_BETWEEN = 60.0


class _State:
    """Of this process."""

    logged = set()
    is_disabled = False
    is_periodic = False
    last = 0.0


def log_once(key):
    """Whether nobody in this process has asked with that key before: if log_once("slow"): print("this is slow")."""
    if _State.is_disabled:
        return False
    now = time.monotonic()
    if key in _State.logged:
        if _State.is_periodic and now - _State.last > _SECONDS_BETWEEN:
            _State.logged.clear()  # whoever asks next is the first again
            _State.last = now
        return False
    _State.logged.add(key)
    _State.last = now
    return True


def disable_log_once_globally():
    """From now on log_once says no in this process."""
    _State.is_disabled = True


def enable_periodic_logging():
    """From now on log_once says yes to a key again when it has not said so for a minute."""
    _State.is_periodic = True


def reset_log_once(key=None):
    """Forgets that log_once was asked with the key; without one, with any."""
    if key is None:
        _State.logged.clear()
    else:
        _State.logged.discard(key)
