# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Shared by the scripts in loadtest/. Sourced, never run; $root is the checkout, and
# deploy/lib/common.sh has been sourced.

server_jar=$root/gateway/server/target/fencegate.jar
loadtest_jar=$root/loadtest/target/fencegate-loadtest-0.1.0-SNAPSHOT.jar
loadtest_libraries=$root/loadtest/target/lib

# After this the jars are there and no older than their sources, and JAVA_HOME has a java.
loadtest_need_jars() {
  if ! fencegate_jars_fresh "$root" "$server_jar" "$loadtest_jar" ||
    [ ! -d "$loadtest_libraries" ] ||
    [ -n "$(find "$root/loadtest/pom.xml" "$root/loadtest/src/main" -newer "$loadtest_jar" -print -quit)" ]; then
    fencegate_build_jars "$root" loadtest
    # Maven leaves a jar alone whose own classes are the same, whatever it was built with.
    touch "$loadtest_jar"
  fi
  fencegate_find_java java || fencegate_need_build_tools
}

# Becomes the program with class $1 and arguments $2...
loadtest_exec() {
  local class=$1
  shift
  exec "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -Xmx1g \
    -cp "$loadtest_jar:$loadtest_libraries/*" "io.fencegate.loadtest.$class" \
    --server-jar "$server_jar" "$@"
}
