"""Files of a batch, here or behind URLs of fsspec."""

from __future__ import annotations

import os


def is_url(path: str) -> bool:
    return "://" in path


def file_identity(path: str) -> str:
    """Something that changes with what a path holds, without reading it."""
    if not path:
        return ""
    if not is_url(path):
        if os.path.isdir(path):
            files = sorted(os.path.join(folder, name)
                           for folder, _, names in os.walk(path, followlinks=True)
                           for name in names)
            return "\n".join(map(file_identity, files))
        try:
            status = os.stat(path)
        except OSError:
            return "none"
        # The last one nobody can set to what it was.
        return f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
    import fsspec

    files, name = fsspec.core.url_to_fs(path)
    try:
        return f"{path} {files.ukey(name)}"
    except OSError:
        return "none"


def file_size(path: str) -> int:
    if not path:
        return 0
    try:
        if not is_url(path):
            return os.path.getsize(path)
        import fsspec

        files, name = fsspec.core.url_to_fs(path)
        return int(files.size(name) or 0)
    except OSError:
        return 0


def _external_files(path: str) -> set[str]:
    """Files of external data that a model names, as it has them."""
    import onnx
    from onnx.external_data_helper import _get_all_tensors, uses_external_data

    try:
        model = onnx.load(path, load_external_data=False)
    except Exception:  # no model: the comparison says so
        return set()
    return {entry.value for tensor in _get_all_tensors(model) if uses_external_data(tensor)
            for entry in tensor.external_data if entry.key == "location"}


def fetch(path: str, folder: str, reads: dict[str, str]) -> str:
    """The local path of a file; one behind a URL is fetched into the folder, with its data.

    Adds the identities of these data to `reads`.
    """
    if not path or not is_url(path):
        return path
    import fsspec

    files, name = fsspec.core.url_to_fs(path)
    os.makedirs(folder, exist_ok=True)
    local = os.path.join(folder, os.path.basename(name.rstrip("/")))
    try:
        files.get(name, local, recursive=files.isdir(name))
        if local.endswith(".onnx"):
            for data in _external_files(local):
                target = os.path.normpath(os.path.join(folder, data))
                if not target.startswith(folder + os.sep):
                    continue  # the loader refuses it as well
                os.makedirs(os.path.dirname(target), exist_ok=True)
                url = path.rsplit("/", 1)[0] + "/" + data
                reads[url] = file_identity(url)
                files.get(name.rsplit("/", 1)[0] + "/" + data, target)
    except FileNotFoundError:
        pass  # the comparison says so
    return local
