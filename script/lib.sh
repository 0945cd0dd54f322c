# What the scripts share; sourced, not run. Leaves the working directory at the project's root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Everything that is built once and reused by every clone and work tree.
deps=${ONNXCMP_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/onnxcmp}
venv=$deps/venv-1  # CMake; the number to be raised when its contents change

runtimes=$deps/runtimes-1  # what script/runtimes installs; the number as above

# onnx_setting NAME: a value of cmake/onnx_version.cmake.
onnx_setting() { sed -n "s/^set(ONNXCMP_ONNX_$1 \([^)]*\)).*/\1/p" cmake/onnx_version.cmake; }
onnx_version=$(onnx_setting VERSION)
onnx_prefix=$deps/onnx-$onnx_version-$(onnx_setting BUILD)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 2; }

# lock_deps: lets one script at a time write to $deps; held until the script ends.
lock_deps() {
  mkdir -p "$deps"
  exec 9>"$deps/lock"
  flock -n 9 || { say "waiting for another bootstrap"; flock 9; }
}

# build_onnx PREFIX [ARGUMENT...]: builds ONNX, with these arguments for CMake, as a static library
# against the system's protobuf, and installs it with its sources' tests; call lock_deps before. In
# batches of 24 files and with -O1 it compiles in a quarter of the time; nothing of it runs for long.
build_onnx() {
  local prefix=$1 tmp source
  shift
  tmp=$(mktemp -d "$deps/tmp.XXXXXX")
  trap "rm -rf '$tmp'" EXIT
  say "fetching ONNX $onnx_version"
  # pip runs a part of the archive's build to read its metadata, but only once the hash is right.
  echo "onnx==$onnx_version --hash=sha256:$(onnx_setting SHA256)" >"$tmp/requirements.txt"
  "$venv/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary onnx \
    -r "$tmp/requirements.txt" -d "$tmp"
  source=$tmp/onnx-$onnx_version
  tar -xzf "$source.tar.gz" -C "$tmp"
  say "building ONNX $onnx_version (about a minute)"
  {
    "$venv/bin/cmake" -S "$source" -B "$tmp/build" -G Ninja \
      -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" \
      -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF \
      -DONNX_USE_PROTOBUF_SHARED_LIBS=ON -DONNX_GEN_PB_TYPE_STUBS=OFF \
      -DONNX_USE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=24 "$@" &&
    "$venv/bin/cmake" --build "$tmp/build" &&
    "$venv/bin/cmake" --install "$tmp/build" --prefix "$tmp/prefix"
  } >"$tmp/log" 2>&1 || { tail -n 60 "$tmp/log" >&2; die "ONNX did not build"; }
  mkdir -p "$tmp/prefix/share/onnx"
  cp -r "$source/onnx/backend/test/data" "$tmp/prefix/share/onnx/source_data"
  mv "$tmp/prefix" "$prefix"
}

# onnx_python VERSION: sets onnx_modules to a folder, for PYTHONPATH, with ONNX's Python package of
# that version. Fetched once; call lock_deps before.
onnx_python() {
  onnx_modules=$deps/onnx-python-$1
  [[ ! -d $onnx_modules ]] || return 0
  say "fetching ONNX $1 for Python"
  local tmp
  tmp=$(mktemp -d "$deps/tmp.XXXXXX")
  "$venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: \
    --target "$tmp/modules" -r script/onnx_requirements.txt "onnx==$1" ||
    { rm -rf "$tmp"; die "pip could not install it"; }
  mv "$tmp/modules" "$onnx_modules"
  rm -rf "$tmp"
}

# python_tools PYTHON: sets tools to a virtual environment of that Python that makes wheels.
python_tools() {
  local key
  key=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-$(
    sha256sum script/python_requirements.txt | cut -c1-12)
  tools=$deps/python-tools-$key
  [[ ! -e $tools/complete ]] || return 0
  say "installing what makes wheels"
  rm -rf "$tools"
  "$1" -m venv "$tools"
  "$tools/bin/pip" install -q --disable-pip-version-check --only-binary :all: --no-deps \
    -r script/python_requirements.txt || die "pip could not install it"
  touch "$tools/complete"
}

# python_package FOLDER [PYTHON]: installs the wheel of dist/ for that Python, by default the system's,
# with all that its tests need, into a new virtual environment; sets fresh to the folder.
python_package() {
  local python=${2:-} tag needs pinned=() tmp
  if [[ -z $python ]]; then
    python=$(PATH=/usr/bin:$PATH command -v python3)
    pinned=(--no-deps)
  fi
  tag=$("$python" -c 'import sys; print("cp3%d" % min(sys.version_info[1], 12))')
  python_tools "$python"
  # Fetched once. The file names versions for the system's Python; others get the newest for them.
  needs=$deps/python-tests-$(
    {
      cat python/tests/requirements.txt cmake/onnx_version.cmake
      [[ -n ${pinned[*]-} ]] || "$python" --version
    } | sha256sum | cut -c1-12)
  if [[ ! -d $needs ]]; then
    lock_deps
    say "fetching what the Python tests need"
    tmp=$(mktemp -d "$deps/tmp.XXXXXX")
    cp python/tests/requirements.txt "$tmp"
    [[ -n ${pinned[*]-} ]] || sed -i 's/==.*//' "$tmp/requirements.txt"
    "$tools/bin/pip" download -q --disable-pip-version-check --only-binary :all: "${pinned[@]}" \
      -d "$tmp" -r "$tmp/requirements.txt" "onnx==$onnx_version" || die "pip could not fetch it"
    mv "$tmp" "$needs"
  fi
  fresh=$1
  rm -rf "$fresh"
  "$python" -m venv --without-pip "$fresh"
  "$tools/bin/pip" --python "$fresh/bin/python" install -q --disable-pip-version-check --no-index \
    --no-deps --no-compile "$needs"/*.whl dist/onnxcmp-*-"$tag"-*.whl
}

# need_packages NAME...: installs the Debian packages that are missing; offline when none is.
need_packages() {
  command -v dpkg-query >/dev/null ||
    { say "not a Debian system; these must be present: $*"; return 0; }
  local missing=() sudo=()
  for p in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null) == installed ]] || missing+=("$p")
  done
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "missing packages and no sudo to install them: ${missing[*]}"
    sudo=(sudo)
  fi
  say "installing ${missing[*]}"
  local log
  log=$(mktemp)
  {
    "${sudo[@]}" apt-get update -qq &&
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${missing[@]}"
  } >"$log" 2>&1 </dev/null || { cat "$log" >&2; rm "$log"; die "apt-get could not install them"; }
  rm "$log"
}

# apt_for FOLDER TYPE [SUITE]: sets apt to an apt-get with a state of its own in FOLDER and this
# machine's sources, for packages of that type (deb, deb-src) and perhaps of another suite.
apt_for() {
  local from to
  mkdir -p "$1"/{sources,lists/partial,archives/partial}
  touch "$1/status"
  for from in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [[ $from == *.list || $from == *.sources ]] && [[ -f $from ]] || continue
    to=$1/sources/${from##*/}
    sed "s/^Types:.*/Types: $2/; s/^deb /$2 /" "$from" >"$to"
    [[ -z ${3:-} ]] ||
      sed -i -E "s/^Suites:.*/Suites: $3/; s/^($2 (\[[^]]*\] )?[^ ]+) [^ ]+/\1 $3/" "$to"
  done
  apt=(apt-get -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$1/sources"
    -o "Dir::State::lists=$1/lists" -o "Dir::State::status=$1/status" -o "Dir::Cache=$1"
    -o Debug::NoLocking=1 -o APT::Sandbox::User=root)
  # Some sources have no such packages.
  "${apt[@]}" update >"$1/log" 2>&1 </dev/null || true
}
