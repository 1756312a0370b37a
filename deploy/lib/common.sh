# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Shared by the scripts in deploy/: finds JDK 17+ and Maven, installs what is missing from the
# distribution's packages. Sourced, never run. Needs bash and the usual core utilities, not git.

readonly FENCEGATE_MIN_JAVA=17
readonly FENCEGATE_MIN_MAVEN=3.8.7
readonly FENCEGATE_EXIT_UNAVAILABLE=3

fencegate_say() { printf 'fencegate: %s\n' "$*" >&2; }

# Prints the feature release of the java or javac program $1 (17, 21, 25), or 0.
fencegate_java_release() {
  local release
  release=$("$1" -version 2>&1 |
    sed -n -E 's/^(openjdk|java|javac) (version )?"?([0-9]+)[^0-9].*/\3/p; s/^(openjdk|java|javac) (version )?"?([0-9]+)"?$/\3/p' |
    head -n 1) || true
  printf '%s\n' "${release:-0}"
}

# True when version $1 is at least version $2.
fencegate_version_at_least() {
  [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

# True when the Java home $1 has a program $2 (java or javac) that is new enough.
fencegate_java_home_ok() {
  [ -n "$1" ] && [ -x "$1/bin/$2" ] &&
    [ "$(fencegate_java_release "$1/bin/$2")" -ge "$FENCEGATE_MIN_JAVA" ]
}

# Sets and exports JAVA_HOME to one that has program $1 (java or javac): the one that is set, the
# one on the PATH, then whatever the distribution has installed. Fails quietly.
fencegate_find_java() {
  local program=$1 candidate on_path
  on_path=$(command -v "$program" 2>/dev/null || true)
  if [ -n "$on_path" ]; then
    on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
  fi
  for candidate in "${JAVA_HOME:-}" "$on_path" /usr/lib/jvm/*17* /usr/lib/jvm/*; do
    if fencegate_java_home_ok "$candidate" "$program"; then
      if [ -n "${JAVA_HOME:-}" ] && [ "$JAVA_HOME" != "$candidate" ]; then
        fencegate_say "JAVA_HOME is not a JDK $FENCEGATE_MIN_JAVA or newer, using $candidate"
      fi
      export JAVA_HOME=$candidate
      return 0
    fi
  done
  return 1
}

# True when a new enough Maven is on the PATH. JAVA_HOME is set by now.
fencegate_maven_ok() {
  local version
  command -v mvn >/dev/null 2>&1 || return 1
  version=$(mvn -v 2>/dev/null | sed -n -E 's/.*Apache Maven ([0-9][0-9.]*).*/\1/p' | head -n 1)
  [ -n "$version" ] && fencegate_version_at_least "$version" "$FENCEGATE_MIN_MAVEN"
}

fencegate_give_up() {
  fencegate_say "$1"
  fencegate_say "install these by hand, then run the same command again:"
  shift
  local line
  for line in "$@"; do
    fencegate_say "  - $line"
  done
  exit "$FENCEGATE_EXIT_UNAVAILABLE"
}

# True when commands can be run as root.
fencegate_may_be_root() {
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null 2>&1
}

# Runs a command as root. Without a terminal nobody can type a password.
fencegate_as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

# Installs the packages $2... with apt-get; $1 is what a person would have to install instead.
fencegate_apt_install() {
  local needed=$1
  shift
  command -v apt-get >/dev/null 2>&1 ||
    fencegate_give_up "there is no apt-get here" "$needed"
  fencegate_may_be_root ||
    fencegate_give_up "installing packages needs root, and there is no sudo" "$needed" \
      "as root: apt-get install $*"
  if [ -z "${fencegate_apt_updated:-}" ]; then
    fencegate_say "running apt-get update"
    fencegate_as_root apt-get update -qq >&2 ||
      fencegate_say "apt-get update failed, going on with the package lists that are here"
    fencegate_apt_updated=yes
  fi
  fencegate_say "running apt-get install $*"
  fencegate_as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" >&2 ||
    fencegate_give_up "apt-get could not install: $*" "$needed"
}

# After this, JAVA_HOME has a JDK 17+ and mvn is on the PATH; or the script has ended with 3.
fencegate_need_build_tools() {
  local jdk="a JDK, release $FENCEGATE_MIN_JAVA or newer (Debian, Ubuntu: openjdk-17-jdk-headless or default-jdk-headless)"
  local maven="Apache Maven $FENCEGATE_MIN_MAVEN or newer (Debian, Ubuntu: maven)"
  if ! fencegate_find_java javac; then
    fencegate_say "no JDK $FENCEGATE_MIN_JAVA or newer found"
    # Newer distributions have no 17; their default is newer, which is fine.
    if command -v apt-get >/dev/null 2>&1 && ! fencegate_package_exists openjdk-17-jdk-headless; then
      fencegate_apt_install "$jdk" default-jdk-headless
    else
      fencegate_apt_install "$jdk" openjdk-17-jdk-headless
    fi
    fencegate_find_java javac ||
      fencegate_give_up "the installed JDK is too old or does not start" "$jdk"
  fi
  if ! fencegate_maven_ok; then
    fencegate_say "no Maven $FENCEGATE_MIN_MAVEN or newer found"
    fencegate_apt_install "$maven" maven
    hash -r
    fencegate_maven_ok ||
      fencegate_give_up "the Maven on the PATH is too old or does not start" "$maven"
  fi
}

# After this, etcd and etcdctl are on the PATH; or the script has ended with 3. Tests start processes
# of their own, so a service that the package may start is neither needed nor touched.
fencegate_need_etcd() {
  local etcd="etcd and etcdctl, release 3.4 or newer (Debian, Ubuntu: etcd-server, etcd-client)"
  if command -v etcd >/dev/null 2>&1 && command -v etcdctl >/dev/null 2>&1; then
    return 0
  fi
  fencegate_say "no etcd and etcdctl found"
  fencegate_apt_install "$etcd" etcd-server etcd-client
  hash -r
  command -v etcd >/dev/null 2>&1 && command -v etcdctl >/dev/null 2>&1 ||
    fencegate_give_up "the installed etcd is not on the PATH" "$etcd"
}

# After this, nginx and wrk are on the PATH; or the script has ended with 3. The service that comes
# with nginx would take port 80: it is not started.
fencegate_need_nginx_and_wrk() {
  local nginx="nginx, release 1.18 or newer (Debian, Ubuntu: nginx)"
  local wrk="wrk, release 4 (Debian, Ubuntu: wrk)"
  # Where nginx is installed; not every user's PATH has it.
  PATH=$PATH:/usr/sbin
  if ! command -v nginx >/dev/null 2>&1; then
    fencegate_say "no nginx found"
    fencegate_apt_install_without_services "$nginx" nginx
    hash -r
    command -v nginx >/dev/null 2>&1 ||
      fencegate_give_up "the installed nginx is not on the PATH" "$nginx"
  fi
  if ! command -v wrk >/dev/null 2>&1; then
    fencegate_say "no wrk found"
    fencegate_apt_install "$wrk" wrk
    hash -r
    command -v wrk >/dev/null 2>&1 ||
      fencegate_give_up "the installed wrk is not on the PATH" "$wrk"
  fi
}

# As fencegate_apt_install, and no service of the packages is started: that is what dpkg asks
# policy-rc.d for. Where there is one already, it decides.
fencegate_apt_install_without_services() {
  local policy=/usr/sbin/policy-rc.d
  if [ -e "$policy" ] || ! fencegate_may_be_root; then
    fencegate_apt_install "$@"
    return
  fi
  # In a shell of its own, which cleans up however it ends, and ends the script where it fails.
  (
    trap 'fencegate_as_root rm -f "$policy"' EXIT
    trap 'exit 130' INT TERM
    # The file's text is for the shell that runs as root.
    # shellcheck disable=SC2016
    fencegate_as_root sh -c 'printf "#!/bin/sh\nexit 101\n" >"$1" && chmod 755 "$1"' sh "$policy" &&
      fencegate_apt_install "$@"
  ) || exit
}

# True when apt knows package $1. Lists that were never fetched know nothing: fetch them first.
fencegate_package_exists() {
  if apt-cache show "$1" >/dev/null 2>&1; then
    return 0
  fi
  fencegate_may_be_root || return 0
  fencegate_say "running apt-get update"
  fencegate_as_root apt-get update -qq >&2 || return 0
  fencegate_apt_updated=yes
  apt-cache show "$1" >/dev/null 2>&1
}

# True when every jar $2... is there and nothing that it is built from under root $1 is newer;
# where there are no sources, no jar can be stale.
fencegate_jars_fresh() {
  local root=$1 jar newer
  shift
  for jar in "$@"; do
    [ -f "$jar" ] || return 1
    [ -f "$root/pom.xml" ] || continue
    newer=$(find "$root/pom.xml" "$root/policy" "$root/adapters" "$root/gateway" \
      -name target -prune -o -type f \( -name pom.xml -o -path '*/src/main/*' \) \
      -newer "$jar" -print 2>/dev/null | head -n 1) || true
    [ -z "$newer" ] || return 1
  done
}

# Puts a copy in the place of each file $1... that is there. Maven writes jars where they are, and a
# process that runs from one would lose its classes; so it keeps the old file to itself.
fencegate_let_go() {
  local file
  for file in "$@"; do
    if [ -f "$file" ]; then
      cp -p "$file" "$file.copy" && mv -f "$file.copy" "$file"
    fi
  done
}

# Builds the runnable jars under root $1, quietly; tests are not even compiled. More module $2 too.
fencegate_build_jars() {
  local root=$1 started=$SECONDS modules=gateway/server,gateway/demo${2:+,$2}
  fencegate_need_build_tools
  fencegate_say "building the jars (the first time downloads libraries, a few minutes) ..."
  fencegate_let_go "$root/gateway/server/target/fencegate.jar" \
    "$root/gateway/demo/target/fencegate-demo.jar"
  (cd "$root" && mvn -B -ntp -q -Dstyle.color=never -pl "$modules" -am package \
    -Dmaven.test.skip=true >&2) || {
    fencegate_say "the build failed"
    return 1
  }
  fencegate_say "built in $((SECONDS - started)) s"
}
