# What the scripts share; sourced, not run. Leaves the working directory at the project's root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Everything that is built once and reused by every clone and work tree.
deps=${ONNXCMP_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/onnxcmp}
venv=$deps/venv-1  # CMake; the number to be raised when its contents change

# onnx_setting NAME: a value of cmake/onnx_version.cmake.
onnx_setting() { sed -n "s/^set(ONNXCMP_ONNX_$1 \([^)]*\)).*/\1/p" cmake/onnx_version.cmake; }
onnx_version=$(onnx_setting VERSION)
onnx_prefix=$deps/onnx-$onnx_version-$(onnx_setting BUILD)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 2; }

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
