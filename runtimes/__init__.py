"""Adapters of runtimes: docs/runtimes.md. None of them needs onnxcmp itself."""
