"""Develops a photograph: opens its shadows, clears its haze, deepens its colours."""
