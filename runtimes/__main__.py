"""python3 runtimes ADAPTER: serves an adapter by its name here, or a file with a class Adapter.
Another file is a program that speaks the protocol itself, and is run.

python3 runtimes --probe ADAPTER: says which version there is, or which package lacks."""

import importlib
import importlib.util
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def package():
    """This folder as a package, without which names would hide those of the runtimes: the folder
    holds a torch, too."""
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != HERE]
    spec = importlib.util.spec_from_file_location(
        "onnxcmp_runtimes", os.path.join(HERE, "__init__.py"), submodule_search_locations=[HERE]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["onnxcmp_runtimes"] = module
    spec.loader.exec_module(module)


def adapter_class(name):
    if name.endswith(".py"):
        spec = importlib.util.spec_from_file_location("onnxcmp_own_adapter", name)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.Adapter
    return importlib.import_module(f"onnxcmp_runtimes.{name}_adapter").Adapter


def version_of(found):
    """Of the package, which need not be imported for that, where there is one."""
    from importlib import metadata

    for name in found.packages if found.is_package else ():
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found({}).version()


def main():
    package()
    if sys.argv[1] == "--probe":
        found = adapter_class(sys.argv[2])
        lacking = found.module and importlib.util.find_spec(found.module) is None
        if lacking:
            print(json.dumps({"missing": list(found.packages)}))
        else:
            print(json.dumps({"version": version_of(found)}))
        return
    from onnxcmp_runtimes import reaper, serve

    reaper.go_below()
    if "/" in sys.argv[1] and not sys.argv[1].endswith(".py"):
        os.execv(sys.argv[1], sys.argv[1:])

    def make(options):
        found = adapter_class(sys.argv[1])
        if found.module and importlib.util.find_spec(found.module) is None:
            raise serve.Missing(found.packages)
        return found(options)

    serve.serve(make)


if __name__ == "__main__":
    main()
