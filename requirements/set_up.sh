# shellcheck shell=bash disable=SC2154 # the front door, ./cavern, reads this file once something is missing
# What sets up: packages by Debian, Python's by uv, the build. They come at the same time as far as they can.

# What is built, by what needs it; everything is all that there is.
declare -A targets=(
  [simulator]='cavern-sim'
  [firmware]='cavern-sim firmware'
  [package]='cavern-sim cavern_shared firmware'
  [experiments]='cavern-sim cavern-lookup'
  [benches]='cavern-sim cavern-dram-reference cavern-arbiter-bench cavern-policy-bench cavern-ftl-bench
    cavern-trace-bench cavern-firmware-bench firmware_bench_requests firmware_bench_requests_sdram'
  [everything]=''
)
# step LOG WHAT COMMAND ...: with its output in build/LOG; shows the log's end if it fails.
step() {
  local log=$root/build/$1 what=$2
  shift 2
  say "$what ..."
  if ! "$@" >>"$log" 2>&1; then
    tail -n 30 "$log" >&2
    printf 'error: %s:1: %s failed; the lines above and this file say why\n' "$log" "$what" >&2
    exit 1
  fi
}

# What packages start does not hold the lock.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@" 9>&-
  else
    sudo "$@" 9>&-
  fi
}

missing_of() { # missing_of GROUP: those of its packages that are not installed
  local package there
  # shellcheck disable=SC2086 # words
  there=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' ${debian[$1]} 2>/dev/null) || true
  for package in ${debian[$1]}; do
    [[ $'\n'$there$'\n' = *$'\n'"ii $package"$'\n'* ]] || printf '%s\n' "$package"
  done
}

install_debian() { # install_debian GROUP ...: in this order; then the kernel that guests boot
  local group missing updated=''
  update_lists() {
    [ -n "$updated" ] || step packages.log "updating the package lists" as_root apt-get update
    updated=yes
  }
  for group in "$@"; do
    mapfile -t missing < <(missing_of "$group")
    if [ "${#missing[@]}" -gt 0 ]; then
      update_lists
      # What was interrupted is ended first.
      step packages.log "installing ${missing[*]}" as_root env DEBIAN_FRONTEND=noninteractive sh -c \
        'dpkg --configure -a && exec apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 \
         -o Dpkg::Options::=--force-unsafe-io "$@"' - "${missing[@]}"
    fi
    printf '%s\n' "${debian[$group]}" >"$root/build/.debian-$group"
  done
  has_guest && return
  # Out of Debian's package, which is not installed. The lists of packages may be older than it.
  local fetch=(python3 "$root/examples/guest/boot.py" --fetch)
  if [ -n "$updated" ] || ! "${fetch[@]}" >>"$root/build/packages.log" 2>&1; then
    update_lists
    step packages.log "getting a kernel for guests" "${fetch[@]}"
  fi
}

# pip_install OPTION ...: by uv, which is told what pip is told; by pip where there is no uv for this machine.
pip_install() {
  local pip=("$venv/bin/python" -m pip --disable-pip-version-check) key value
  if [ ! -x "$venv/bin/uv" ]; then
    "${pip[@]}" install --quiet "$(grep -o '^uv==[0-9.]*' "$root/requirements/build.txt")" || true
  fi
  while IFS='=' read -r key value; do
    value=${value:1:-1}
    case ${key##*.} in
    cert) export SSL_CERT_FILE=${SSL_CERT_FILE:-$value} ;;
    proxy) export ALL_PROXY=${ALL_PROXY:-$value} ;;
    index-url) export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$value} ;;
    extra-index-url) export UV_INDEX=${UV_INDEX:-$value} ;;
    find-links) export UV_FIND_LINKS=${UV_FIND_LINKS:-${value// /,}} ;;
    trusted-host) export UV_INSECURE_HOST=${UV_INSECURE_HOST:-$value} ;;
    esac
  done < <("${pip[@]}" config list)
  "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --no-deps "$@" ||
    "${pip[@]}" install --quiet --no-deps "$@"
}

install_python() { # install_python GROUP ...: each is a file of requirements/, and needs those before it
  local group missing=() options=()
  until has_debian python; do sleep 0.1; done
  for group in "$@"; do
    has_python "$group" || missing+=("$group")
    # One that has changed: nothing of the old one is to stay.
    [ ! -e "$venv/.requirements-$group" ] || has_python "$group" || rm -rf "$venv"
  done
  if [ ! -x "$venv/bin/pip" ]; then # its last file
    rm -rf "$venv"
    step python.log "making the Python environment" python3 -m venv "$venv"
    missing=("$@")
  fi
  install_groups() { # install_groups GROUP ...
    options=()
    for group in "$@"; do options+=(--requirement "$root/requirements/$group.txt"); done
    step python.log "installing the Python packages: $*" pip_install "${options[@]}"
    for group in "$@"; do cp "$root/requirements/$group.txt" "$venv/.requirements-$group"; done
  }
  # The build waits for its own.
  if [ "${missing[0]}" = build ]; then
    install_groups build
    missing=("${missing[@]:1}")
  fi
  [ "${#missing[@]}" -eq 0 ] || install_groups "${missing[@]}"
}

# in_background COMMAND ...: in a process group of its own, as its processes end together.
helpers=()
in_background() {
  set -m
  {
    set +m
    "$@"
  } </dev/null &
  set +m
  helpers+=($!)
}

stop_helpers() {
  local pid
  for pid in "${helpers[@]}"; do kill -TERM -- "-$pid" 2>/dev/null || true; done
  wait
}

# check_helpers: ends where one has failed, which has said why.
check_helpers() {
  local pid
  for pid in "${helpers[@]}"; do
    kill -0 "$pid" 2>/dev/null || wait "$pid" || exit 1
  done
}

# show_steps LOG: how far ninja is, on a terminal.
show_steps() {
  local steps
  [ -t 2 ] || return 0
  steps=$(grep -o '^\[[0-9]*/[0-9]*\]' "$1" | tail -n 1) || return 0
  printf '\rcavern: building, step %s\033[K' "${steps//[\[\]]/}" >&2
}

# count_branches FOLDER: of the sources as they are.
count_branches() {
  ninja -C "$1" fitting_counts && { [ -e "$1/profile.stamp" ] || ninja -C "$1" profile; }
}

run_ninja() { # run_ninja LOG FOLDER TARGET ...; the log ends with the time of the processor
  local log=$1 folder=$2
  shift 2
  if { [ -z "$counted" ] || count_branches "$folder"; } >"$log" 2>&1 && ninja -C "$folder" "$@" >>"$log" 2>&1; then
    times >>"$log"
  else
    tail -n 30 "$log" >&2
    printf 'error: %s:1: building failed; the lines above and this file say why\n' "$log" >&2
    return 1
  fi
}

# bring_up_to_date NAME: the release build of what has that name; for `configured` it is made ready alone.
bring_up_to_date() {
  # Verilator takes a path to end at a blank: there the tree is built by another name.
  local source=$root
  if [[ $root = *[[:space:]]* ]]; then
    source=/var/tmp/cavern-$(printf '%s' "$root" | sha256sum | cut -c1-16)
    ln -sfn "$root" "$source"
  fi
  # A build knows where its sources are: after the folder was moved, it begins anew.
  local home=$root
  if [ -e "$build/CMakeCache.txt" ]; then
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
  fi
  if [ "$(realpath -m "$home")" != "$root" ]; then
    say "the folder was moved, so the build begins anew"
    rm -rf "$build"
  fi
  if [ ! -e "$build/build.ninja" ]; then
    step configure.log "configuring the build" \
      cmake -S "$source" --preset release ${CAVERN_WERROR:+-DCAVERN_WERROR=ON}
    say "building (some minutes the first time; output in build/build.log)"
  fi
  printf '%s\n' "$root" >"$build/.configured"
  [ "$1" != configured ] || return 0
  printf '%s\n' "$root" >"$build/.begun"
  [ -z "$counted" ] || [ -e "$build/profile.stamp" ] ||
    say "building with the branches counted, once (a minute or two more)"
  # shellcheck disable=SC2086 # words
  in_background run_ninja "$root/build/build.log" "$source/build/release" ${targets[$1]}
  local ninja=$! moments=0
  while kill -0 "$ninja" 2>/dev/null; do
    check_helpers
    sleep 0.1
    moments=$((moments + 1))
    [ "$moments" != 10 ] || say "building ..."
    [ $((moments % 10)) != 0 ] || show_steps "$root/build/build.log"
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
  check_helpers
  mv "$build/.begun" "$build/.built-$1"
}

# set_up: the plan. Packages come while what needs none of them is built.
set_up() {
  local group helper missing=() wanted=()
  for group in "${debian_wanted[@]}"; do
    has_debian "$group" && continue
    # shellcheck disable=SC2116,SC2086 # one line of words
    command -v dpkg-query >/dev/null || fail "this is no Debian or Ubuntu system" \
      "install the equivalents of: $(echo ${debian[*]})"
    wanted+=("$group")
    mapfile -t -O "${#missing[@]}" missing < <(missing_of "$group")
  done
  if [ "${#missing[@]}" -gt 0 ] && [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "packages are missing (${missing[*]}) and there is neither root nor sudo" \
        "have an administrator run: apt-get install ${missing[*]}"
    sudo true # asks for the password now
  fi
  trap stop_helpers EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  if [ "${#wanted[@]}" -gt 0 ] || ! has_guest; then
    in_background install_debian "${wanted[@]}"
  fi
  for group in "${python_wanted[@]}"; do
    has_python "$group" && continue
    in_background install_python "${python_wanted[@]}"
    break
  done
  if ! is_built; then
    until has_debian build && has_python build; do
      check_helpers
      sleep 0.1
    done
    bring_up_to_date "$built"
  fi
  for helper in "${helpers[@]}"; do
    while kill -0 "$helper" 2>/dev/null; do
      check_helpers
      sleep 0.1
    done
  done
  check_helpers
  trap - EXIT INT TERM HUP
}

