/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import static io.fencegate.policy.file.PolicyFilesFixture.messages;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** In the files of these tests every {@code @@} marks where one message must point to. */
class MalformedFilesTest {

  private static final String MARK = "@@";
  private static final String HEAD =
      """
      apiVersion: fencegate/v1
      adapters:
        db: { type: memory }
      """;
  private static final String POLICY =
      HEAD
          + """
          resources:
            - name: p
              match: a/{x}
              adapter: db
          """;
  private static final String DURATION =
      " was given, expected a duration with its unit, such as 250ms, 30s, 5m, 12h or 7d";
  private static final String QUOTES_OR_FLAG =
      " was given, expected the text in quotes (or true or false where a flag is meant)";
  private static final String QUOTES_OR_NUMBER =
      " was given, expected the text in quotes (or a plain decimal number where a number is meant)";
  private static final String LATER = " was given, expected no such key: it is not in this version";

  private static Arguments file(String name, String text, String... expected) {
    return Arguments.of(name, text, List.of(expected));
  }

  /** A policy with further lines, which are indented to its keys. */
  private static Arguments policy(String name, String lines, String... expected) {
    return file(name, POLICY + lines.indent(4), expected);
  }

  static Stream<Arguments> files() {
    return Stream.of(yaml(), structure(), later(), values(), names(), placeholders(), routes())
        .flatMap(cases -> cases);
  }

  private static Stream<Arguments> yaml() {
    return Stream.of(
        file("empty", "@@", "an empty file was given, expected apiVersion, adapters and resources"),
        file(
            "comments only",
            "@@# nothing\n\n",
            "an empty file was given, expected apiVersion, adapters and resources"),
        file(
            "empty document",
            "---\n@@",
            "nothing was given, expected a mapping with the keys apiVersion, adapters and"
                + " resources"),
        file(
            "tab",
            POLICY + "@@\tguarantee: strict\n",
            "text that is not YAML (found character '\\t(TAB)' that cannot start any token. (Do"
                + " not use \\t(TAB) for indentation)) was given, expected valid YAML"),
        file(
            "open quote",
            "apiVersion: \"fencegate/v1\n@@",
            "text that is not YAML (found unexpected end of stream) was given, expected valid"
                + " YAML"),
        file(
            "placeholder in a flow mapping",
            "apiVersion: fencegate/v1\nadapters:\n  db: { type: memory, url: $@@{env:LEDGER_URL} }\n",
            "text that is not YAML (expected ',' or '}', but got {) was given, expected valid YAML"
                + " (a ${..} inside { } or [ ] needs quotes around its text)"),
        file(
            "control character",
            "apiVersion: fencegate/v1 #\n# a@@\u0007\n",
            "the character U+0007 was given, expected printable text, and LF or CR LF between"
                + " lines"),
        file(
            "line separator",
            "apiVersion: 'a@@\u2028b'\n",
            "the character U+2028 was given, expected printable text, and LF or CR LF between"
                + " lines"),
        file(
            "second document",
            POLICY + "@@---\napiVersion: fencegate/v1\n",
            "a second document was given, expected one per file"),
        file(
            "duplicate keys",
            POLICY + "    @@name: q\n@@adapters: {}\n",
            "/resources/0/name: 'name' a second time (first in line 5) was given, expected each key"
                + " once",
            "/adapters: 'adapters' a second time (first in line 2) was given, expected each key"
                + " once"),
        file(
            "anchor, alias, merge key",
            """
            apiVersion: fencegate/v1
            adapters:
              a: @@&x { type: memory }
              b: @@*x
              c: { @@<<: @@*x }
            """
                .replace("<<: @@*x", "<<: *x, type: memory"),
            "/adapters/a: the anchor of a setting was given, expected the value itself: anchors and"
                + " aliases are not supported",
            "/adapters/b: the alias of a setting was given, expected the value itself: anchors and"
                + " aliases are not supported",
            "/adapters/c/<<: the merge key '<<' was given, expected the keys themselves"),
        file(
            "tags",
            POLICY + "    priority: @@!!int 3\n    guarantee: @@! strict\n",
            "/resources/0/priority: the tag 'tag:yaml.org,2002:int' was given, expected a value"
                + " without a tag",
            "/resources/0/guarantee: the tag '!' was given, expected a value without a tag"),
        file(
            "keys that are not text",
            POLICY + "    ? @@[a, {b: c}]\n    : d\n",
            "/resources/0: a key that is not a scalar was given, expected text as the key"),
        file(
            "nesting",
            HEAD.replace(
                "{ type: memory }",
                "{ type: memory, a: " + "[".repeat(29) + "@@" + "[" + "]".repeat(30) + " }"),
            "/adapters/db/a"
                + "/0".repeat(29)
                + ": nesting deeper than 32 was given, expected less nesting"));
  }

  private static Stream<Arguments> structure() {
    return Stream.of(
        file(
            "a list",
            "@@- a\n",
            "a list was given, expected a mapping with the keys apiVersion, adapters and"
                + " resources"),
        file(
            "no apiVersion",
            "@@adapters: { db: { type: memory } }\n",
            "/apiVersion: nothing was given, expected fencegate/v1"),
        file(
            "misspelt apiVersion",
            "@@apiversion: fencegate/v1\n",
            "/apiversion: the key 'apiversion' was given, expected one of apiVersion, adapters,"
                + " resources (did you mean 'apiVersion'?)"),
        file(
            "another apiVersion",
            "apiVersion: @@fencegate/v2\n",
            "/apiVersion: 'fencegate/v2' was given, expected fencegate/v1"),
        file(
            "adapters as a list, resources as a mapping",
            "apiVersion: fencegate/v1\n@@adapters:\n  - a\n@@resources:\n  a: b\n",
            "/adapters: a list was given, expected a mapping from adapter names to adapters",
            "/resources: a mapping was given, expected a list of resource policies"),
        file(
            "adapter without a type",
            "apiVersion: fencegate/v1\nadapters:\n  @@db:\n    url: x\n",
            "/adapters/db/type: nothing was given, expected the type of an adapter, such as memory,"
                + " postgres or http"),
        file(
            "adapter that is a text, in which a password may stand",
            "apiVersion: fencegate/v1\nadapters:\n  db: @@hunter2\n",
            "/adapters/db: a text was given, expected a mapping with the adapter's type and"
                + " settings"),
        file(
            "setting without a value",
            "apiVersion: fencegate/v1\nadapters:\n  db: { type: memory, pool: { size: @@null } }\n",
            "/adapters/db/pool/size: nothing was given, expected a value, or no such key"),
        file(
            "empty policy and a text instead of one",
            HEAD + "resources:\n  - @@@@@@{}\n  - @@x\n",
            "/resources/0/name: nothing was given, expected a name: 1 to 64 characters of"
                + " [A-Za-z0-9._-], a letter or digit first",
            "/resources/0/match: nothing was given, expected a resource pattern: segments joined by"
                + " '/', each a literal or one {variable}",
            "/resources/0/adapter: nothing was given, expected the name of an adapter",
            "/resources/1: 'x' was given, expected a mapping that describes one policy"),
        policy(
            "misspelt key",
            "@@gaurantee: strict\n",
            "/resources/0/gaurantee: the key 'gaurantee' was given, expected one of name, match,"
                + " priority, adapter, guarantee, enforcement, token, lease, dedup, idempotency,"
                + " onUnresolved, limits, operations, waiting, http (did you mean 'guarantee'?)"),
        policy(
            "unknown key without a near one",
            "limits: { @@colour: red }\n",
            "/resources/0/limits/colour: the key 'colour' was given, expected one of maxInFlight,"
                + " maxBody"),
        policy(
            "misspelt required key gives one message",
            "operations:\n  put: { @@sq: x }\n",
            "/resources/0/operations/put/sq: the key 'sq' was given, expected one of sql, params,"
                + " minRows (did you mean 'sql'?)"),
        policy(
            "operation without a statement",
            "operations:\n  @@put:\n    minRows: 1\n",
            "/resources/0/operations/put/sql: nothing was given, expected an SQL statement"));
  }

  private static Stream<Arguments> routes() {
    String route =
        " was given, expected a path such as /ledger/{tenant}/**: segments of [A-Za-z0-9._~-] or one"
            + " {variable} each, no variable twice, '**' only at the end, and not under /v1/";
    return Stream.of(
        policy(
            "a route of the gateway's own",
            "http: { route: @@\"/v1/{x}\" }\n",
            "/resources/0/http/route: '/v1/{x}'" + route),
        policy(
            "a rest that is not at the end",
            "http: { route: @@\"/**/{x}\" }\n",
            "/resources/0/http/route: '/**/{x}'" + route),
        policy(
            "a route that does not give match's variables",
            "http: { route: @@/b/** }\n",
            "/resources/0/http/route: '/b/**' was given, expected a route with every variable of"
                + " match, {x} too"),
        policy(
            "methods and reads that are none",
            "http: { route: \"/b/{x}\", methods: [@@GET], reads: @@maybe, @@paths: 1 }\n",
            "/resources/0/http/methods/0: 'GET' was given, expected one of POST, PUT, PATCH, DELETE",
            "/resources/0/http/reads: 'maybe' was given, expected one of deny, allow",
            "/resources/0/http/paths: the key 'paths' was given, expected one of route, methods,"
                + " reads"),
        policy(
            "waiting without a time",
            "http: { route: \"/b/{x}\" }\n@@onUnresolved: { action: wait }\n",
            "/resources/0/onUnresolved: a mapping was given, expected settleAfter beside action:"
                + " wait"),
        file(
            "overlapping routes",
            POLICY
                + "    http: { route: \"/b/{x}/**\" }\n"
                + "  - name: q\n    match: c/{y}\n    adapter: db\n"
                + "    http: { route: @@\"/{z}/{y}\" }\n",
            "/resources/1/http/route: '/{z}/{y}' was given, expected a route that does not overlap"
                + " that of policy 'p' at a.yaml:5, or another priority"));
  }

  private static Stream<Arguments> later() {
    return Stream.of(
        file(
            "adapters of later versions",
            """
            apiVersion: fencegate/v1
            adapters:
              b: { type: @@kafka }
              c: { type: @@rabbitmq }
            """,
            "/adapters/b/type: 'kafka' was given, expected the type of an adapter, such as memory,"
                + " postgres or http (not in this version: kafka, rabbitmq)",
            "/adapters/c/type: 'rabbitmq' was given, expected the type of an adapter, such as"
                + " memory, postgres or http (not in this version: kafka, rabbitmq)"),
        file("access", POLICY + "@@access: []\n", "/access: the key 'access'" + LATER),
        policy(
            "keys of later versions",
            """
            @@queue:
              topic: t
            limits: { @@rate: 500/s }
            operations:
              put: { sql: x, @@maxRows: 5, @@kind: query }
            """,
            "/resources/0/queue: the key 'queue'" + LATER,
            "/resources/0/limits/rate: the key 'rate'" + LATER,
            "/resources/0/operations/put/maxRows: the key 'maxRows'" + LATER,
            "/resources/0/operations/put/kind: the key 'kind'" + LATER),
        policy(
            "values of later versions, with the keys that belong to them",
            """
            token: { source: etcd-election, prefix: /x/, @@endpoints: [] }
            """,
            "/resources/0/token/endpoints: the key 'endpoints'" + LATER),
        policy(
            "keys of later versions beside values of this one",
            "token: { source: lock, @@endpoints: [] }\n",
            "/resources/0/token/endpoints: the key 'endpoints'" + LATER),
        policy(
            "doubt without a route",
            "onUnresolved: { action: @@wait, settleAfter: 1s }\n",
            "/resources/0/onUnresolved/action: 'wait' was given, expected block: only a policy with"
                + " 'http' may wait"),
        policy(
            "a time to settle that nobody waits for",
            "onUnresolved: { action: block, settleAfter: @@1s }\n",
            "/resources/0/onUnresolved/settleAfter: '1s' was given, expected no such key beside"
                + " action: block"));
  }

  private static Stream<Arguments> values() {
    return Stream.of(
        policy(
            "external tokens",
            """
            token: { source: external, start: @@0, maxJump: @@-1, hmacKey: @@short }
            lease: { required: @@true }
            """,
            "/resources/0/token/start: the number 0 was given, expected an integer of at least 1",
            "/resources/0/token/maxJump: the number -1 was given, expected an integer of at least"
                + " 1",
            "/resources/0/token/hmacKey: 'a value of 5 bytes' was given, expected a secret of 32 to"
                + " 1024 bytes",
            "/resources/0/lease/required: true was given, expected false or nothing: tokens of"
                + " source external have no lease here"),
        policy(
            "elections without a prefix",
            "@@token: { source: etcd-election }\n",
            "/resources/0/token/prefix: nothing was given, expected the beginning of the"
                + " candidates' keys in etcd"),
        policy(
            "prefixes of elections",
            "token: { source: etcd-election, prefix: @@/x }\n",
            "/resources/0/token/prefix: '/x' was given, expected the beginning of etcd keys: up to"
                + " 512 visible ASCII characters, the last one '/'"),
        policy(
            "variables of elections",
            "token: { source: etcd-election, prefix: @@\"/x/{nobody}/\", maxJump: @@5 }\n",
            "/resources/0/token/prefix: '/x/{nobody}/' was given, expected no variables but those"
                + " of match, [x]",
            "/resources/0/token/maxJump: the number 5 was given, expected no such key: it belongs"
                + " to source external"),
        policy(
            "keys of external tokens beside locks",
            "token: { source: lock, start: @@1, maxJump: @@5 }\n",
            "/resources/0/token/start: the number 1 was given, expected no such key: it belongs to"
                + " source external",
            "/resources/0/token/maxJump: the number 5 was given, expected no such key: it belongs"
                + " to source external"),
        policy(
            "enforcement",
            "enforcement: @@none\n",
            "/resources/0/enforcement: 'none' was given, expected one of enforce, shadow"),
        policy(
            "durations",
            """
            lease: { ttl: @@30, maxTtl: @@5 m, maxHold: @@1w }
            dedup: { retention: @@"30s\\n" }
            idempotency: { retention: @@0s }
            """,
            "/resources/0/lease/ttl: the number 30" + DURATION,
            "/resources/0/lease/maxTtl: '5 m'" + DURATION,
            "/resources/0/lease/maxHold: '1w'" + DURATION,
            "/resources/0/dedup/retention: '30s\\u000a'" + DURATION,
            "/resources/0/idempotency/retention: '0s'" + DURATION),
        policy(
            "ranges of durations",
            """
            lease: { ttl: @@1s, maxTtl: @@25h }
            dedup: { retention: @@29s }
            idempotency: { retention: @@31d }
            """,
            "/resources/0/lease/ttl: '1s' was given, expected a duration from 2s to 1d",
            "/resources/0/lease/maxTtl: '25h' was given, expected a duration from 2s to 1d",
            "/resources/0/dedup/retention: '29s' was given, expected a duration from 30s to 1h",
            "/resources/0/idempotency/retention: '31d' was given, expected a duration from 1m to"
                + " 30d"),
        policy(
            "upper bounds for dedup and lower for idempotency",
            "dedup: { retention: @@61m }\nidempotency: { retention: @@59s }\n",
            "/resources/0/dedup/retention: '61m' was given, expected a duration from 30s to 1h",
            "/resources/0/idempotency/retention: '59s' was given, expected a duration from 1m to"
                + " 30d"),
        policy(
            "bounds of waiting",
            "waiting: { maxWaiters: @@0, maxWaitersPerPrincipal: @@1001, maxWait: @@61s }\n",
            "/resources/0/waiting/maxWaiters: the number 0 was given, expected an integer from 1 to"
                + " 1000",
            "/resources/0/waiting/maxWaitersPerPrincipal: the number 1001 was given, expected an"
                + " integer from 1 to 1000",
            "/resources/0/waiting/maxWait: '61s' was given, expected a duration from 1s to 1m"),
        policy(
            "more waiters of one caller than of all",
            "waiting: { maxWaiters: 4, maxWaitersPerPrincipal: @@5 }\n",
            "/resources/0/waiting/maxWaitersPerPrincipal: the number 5 was given, expected at most"
                + " maxWaiters, which is 4"),
        policy(
            "a wait during which a grant may be forgotten",
            "dedup: { retention: 1m }\nwaiting: { maxWait: @@46s }\n",
            "/resources/0/waiting/maxWait: '46s' was given, expected at most 45s, which is 15s below"
                + " dedup.retention"),
        policy(
            "ttl above the default maxTtl",
            "lease: { ttl: @@10m }\n",
            "/resources/0/lease/ttl: '10m' was given, expected at most maxTtl, which is 5m where"
                + " the policy says nothing"),
        policy(
            "maxTtl below the default ttl",
            "lease: { maxTtl: @@10s }\n",
            "/resources/0/lease/maxTtl: '10s' was given, expected at least ttl, which is 30s where"
                + " the policy says nothing"),
        policy(
            "terms in the wrong order",
            "lease: { ttl: 1m, maxTtl: @@59s, maxHold: 1h }\n",
            "/resources/0/lease/maxTtl: '59s' was given, expected at least ttl, which is 1m"),
        policy(
            "maxHold below maxTtl",
            "lease: { maxHold: @@4m }\n",
            "/resources/0/lease/maxHold: '4m' was given, expected at least maxTtl, which is 5m"
                + " where the policy says nothing"),
        policy(
            "sizes",
            "limits: { maxInFlight: 5, maxBody: @@256kB }\n",
            "/resources/0/limits/maxBody: '256kB' was given, expected a size with its unit, such as"
                + " 512B, 256KiB or 1MiB"),
        policy(
            "limits",
            "limits: { maxInFlight: @@10001, maxBody: @@65MiB }\npriority: @@1001\n",
            "/resources/0/limits/maxInFlight: the number 10001 was given, expected an integer from"
                + " 1 to 10000",
            "/resources/0/limits/maxBody: '65MiB' was given, expected a size of at most 64MiB",
            "/resources/0/priority: the number 1001 was given, expected an integer from -1000 to"
                + " 1000"),
        policy(
            "numbers as text and with a point",
            "limits: { maxInFlight: @@\"5\" }\npriority: @@1.0\n",
            "/resources/0/limits/maxInFlight: '5' was given, expected an integer from 1 to 10000",
            "/resources/0/priority: the number 1.0 was given, expected an integer without a decimal"
                + " point"),
        policy(
            "spellings that YAML versions read differently",
            """
            lease: { required: @@yes, ttl: @@1:30 }
            guarantee: @@no
            priority: @@1e3
            limits: { maxInFlight: @@0x10, maxBody: @@012 }
            enforcement: @@2026-11-30
            """,
            "/resources/0/lease/required: 'yes'" + QUOTES_OR_FLAG,
            "/resources/0/lease/ttl: '1:30'" + QUOTES_OR_NUMBER,
            "/resources/0/guarantee: 'no'" + QUOTES_OR_FLAG,
            "/resources/0/priority: '1e3'" + QUOTES_OR_NUMBER,
            "/resources/0/limits/maxInFlight: '0x10'" + QUOTES_OR_NUMBER,
            "/resources/0/limits/maxBody: '012'" + QUOTES_OR_NUMBER,
            "/resources/0/enforcement: '2026-11-30' was given, expected the text in quotes, because"
                + " it looks like a date"),
        policy(
            "flags and choices",
            "lease: { required: @@\"true\" }\nguarantee: @@Strict\nidempotency: { scope: @@all }\n",
            "/resources/0/lease/required: 'true' was given, expected true or false",
            "/resources/0/guarantee: 'Strict' was given, expected one of strict, serialized,"
                + " best-effort",
            "/resources/0/idempotency/scope: 'all' was given, expected one of caller, resource"),
        policy(
            "wrong kinds",
            "lease: @@5\n@@dedup:\n  - retention\n@@limits: [ 5 ]\noperations: @@x\n",
            "/resources/0/lease: the number 5 was given, expected a mapping of required, ttl,"
                + " maxTtl and maxHold",
            "/resources/0/dedup: a list was given, expected a mapping with the key retention",
            "/resources/0/limits: a list was given, expected a mapping of maxInFlight and maxBody",
            "/resources/0/operations: 'x' was given, expected a mapping from operation names to"
                + " operations"),
        policy(
            "values left out",
            "lease: { ttl:@@ }\nguarantee:@@\n",
            "/resources/0/lease/ttl: nothing" + DURATION,
            "/resources/0/guarantee: nothing was given, expected one of strict, serialized,"
                + " best-effort"),
        policy(
            "operations",
            """
            operations:
              put: { sql: @@"", params: { a: @@5 }, minRows: @@-1 }
            """,
            "/resources/0/operations/put/sql: '' was given, expected an SQL statement",
            "/resources/0/operations/put/params/a: the number 5 was given, expected the name of a"
                + " type, such as text or numeric",
            "/resources/0/operations/put/minRows: the number -1 was given, expected an integer of"
                + " at least 0"));
  }

  private static Stream<Arguments> names() {
    String tooLong = "a".repeat(65);
    return Stream.of(
        file(
            "names",
            """
            apiVersion: fencegate/v1
            adapters:
              @@my db: { type: memory }
            resources:
              - name: @@a b
                match: a
                adapter: @@my db
                operations:
                  @@-x: { sql: x, params: { @@1a: text, @@é: text } }
            """,
            "/adapters/my db: the key 'my db' was given, expected a name: 1 to 64 characters of"
                + " [A-Za-z0-9._-], a letter or digit first",
            "/resources/0/name: 'a b' was given, expected a name: 1 to 64 characters of"
                + " [A-Za-z0-9._-], a letter or digit first",
            "/resources/0/adapter: 'my db' was given, expected 1 to 64 characters of"
                + " [A-Za-z0-9._-], a letter or digit first",
            "/resources/0/operations/-x: the key '-x' was given, expected a name: 1 to 64"
                + " characters of [A-Za-z0-9._-], a letter or digit first",
            "/resources/0/operations/-x/params/1a: the key '1a' was given, expected a parameter"
                + " name: a letter, then up to 31 letters, digits or '_'",
            "/resources/0/operations/-x/params/é: the key '\\u00e9' was given, expected a parameter"
                + " name: a letter, then up to 31 letters, digits or '_'"),
        file(
            "patterns",
            HEAD
                + """
                resources:
                  - { name: a, adapter: db, match: @@a//b }
                  - { name: b, adapter: db, match: @@"{x}/{x}" }
                  - { name: c, adapter: db, match: @@/a }
                  - { name: d, adapter: db, match: @@"a/**" }
                  - { name: e, adapter: db, match: @@LONG }
                """
                    .replace("LONG", tooLong),
            "/resources/0/match: 'a//b' was given, expected segments of a resource name joined by"
                + " '/', each a literal or one {variable}, no variable twice",
            "/resources/1/match: '{x}/{x}' was given, expected segments of a resource name joined"
                + " by '/', each a literal or one {variable}, no variable twice",
            "/resources/2/match: '/a' was given, expected segments of a resource name joined by"
                + " '/', each a literal or one {variable}, no variable twice",
            "/resources/3/match: 'a/**' was given, expected segments of a resource name joined by"
                + " '/', each a literal or one {variable}, no variable twice",
            "/resources/4/match: '"
                + tooLong
                + "' was given, expected segments of a resource name"
                + " joined by '/', each a literal or one {variable}, no variable twice"),
        policy(
            "parameter named like a variable",
            "operations:\n  put: { sql: x, params: { @@x: text } }\n",
            "/resources/0/operations/put/params/x: the parameter 'x' was given, expected another"
                + " name: the policy's match binds :x"),
        file(
            "unknown adapter",
            POLICY.replace("adapter: db", "adapter: @@dbb"),
            "/resources/0/adapter: 'dbb' was given, expected one of the adapters db (did you mean"
                + " 'db'?)"),
        file(
            "no adapter at all",
            "apiVersion: fencegate/v1\nresources: [{ name: a, match: a, adapter: @@db }]\n",
            "/resources/0/adapter: 'db' was given, expected an adapter, and no file defines one"),
        file(
            "overlap and equal names",
            POLICY
                + """
                  - name: @@p
                    match: @@"{y}/b"
                    adapter: db
                  - name: q
                    match: "{y}/b"
                    priority: 1
                    adapter: db
                """,
            "/resources/1/name: 'p' was given, expected another name than that of policy 'p' at"
                + " a.yaml:5",
            "/resources/1/match: '{y}/b' was given, expected a pattern that does not overlap that"
                + " of policy 'p' at a.yaml:5, or another priority"));
  }

  private static Stream<Arguments> placeholders() {
    String forms =
        " was given, expected ${env:NAME} or ${file:/absolute/path}, or $${ for a plain ${";
    return Stream.of(
        file(
            "missing values",
            """
            apiVersion: fencegate/v1
            adapters:
              db:
                type: memory
                url: @@@@${env:NOPE}${file:/nope}
            """,
            "/adapters/db/url: '${env:NOPE}' was given, expected the environment variable NOPE to"
                + " be set",
            "/adapters/db/url: '${file:/nope}' was given, expected the file /nope to be readable"),
        file(
            "unknown placeholders",
            """
            apiVersion: fencegate/v1
            adapters:
              db:
                type: memory
                a: @@${HOME}
                b: @@${env:LEDGER_URL
                c: @@${file:relative}
                d: @@"${env:}"
            """,
            "/adapters/db/a: a '${' that begins no known placeholder" + forms,
            "/adapters/db/b: a '${' that begins no known placeholder" + forms,
            "/adapters/db/c: a '${' that begins no known placeholder" + forms,
            "/adapters/db/d: a '${' that begins no known placeholder" + forms),
        policy(
            "a resolved value that does not fit is not shown",
            "lease:\n  ttl: @@${env:TTL}\nguarantee: @@${file:/run/key}\n",
            "/resources/0/lease/ttl: '${env:TTL}'" + DURATION,
            "/resources/0/guarantee: '${file:/run/key}' was given, expected one of strict,"
                + " serialized, best-effort"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("files")
  void everyProblemIsToldWhereItStands(String name, String marked, List<String> expected) {
    List<String> places = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    int from = 0;
    for (int at = marked.indexOf(MARK); at >= 0; at = marked.indexOf(MARK, from)) {
      text.append(marked, from, at);
      int line = 1 + (int) text.chars().filter(c -> c == '\n').count();
      int column = text.length() - text.lastIndexOf("\n");
      places.add("a.yaml:" + line + ":" + column + ": ");
      from = at + MARK.length();
    }
    text.append(marked, from, marked.length());
    List<String> located = new ArrayList<>();
    for (int i = 0; i < expected.size(); i++) {
      located.add(places.get(i) + expected.get(i));
    }
    List<String> told = messages(text.toString());
    assertThat(told).as(name).containsExactlyElementsOf(located);
    assertThat(told).noneMatch(message -> message.contains("hunter2"));
  }

  @Test
  void aFileAboveOneMebibyteIsRefusedUnread() {
    assertThat(messages("#" + "x".repeat(1024 * 1024)))
        .containsExactly("a.yaml:1:1: a file of 1048577 bytes was given, expected at most 1 MiB");
    assertThat(messages(HEAD + "#" + "x".repeat(1024 * 1024 - HEAD.length() - 1))).isEmpty();
  }

  @Test
  void billionLaughsStayAFewMessages() {
    StringBuilder text = new StringBuilder("apiVersion: fencegate/v1\nadapters:\n");
    text.append("  a0: &a0 [x, x]\n");
    for (int i = 1; i < 30; i++) {
      text.append("  a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
    }
    assertThat(messages(text.toString())).hasSizeBetween(30, 200);
  }

  @Test
  void problemsOfAllFilesAreToldInTheOrderOfTheFiles() {
    assertThat(
            messages(
                POLICY.replace("name: p", "name: 'a b'"),
                "x: [",
                POLICY.replace("adapter: db", "adapter: nowhere").replace("a/{x}", "\"{y}/{z}\"")))
        .containsExactly(
            "a.yaml:5:11: /resources/0/name: 'a b' was given, expected a name: 1 to 64 characters"
                + " of [A-Za-z0-9._-], a letter or digit first",
            "b.yaml:1:5: text that is not YAML (expected the node content, but found '<stream"
                + " end>') was given, expected valid YAML",
            "c.yaml:3:3: /adapters/db: the adapter 'db' a second time was given, expected another"
                + " name than that at a.yaml:3",
            "c.yaml:6:12: /resources/0/match: '{y}/{z}' was given, expected a pattern that does not"
                + " overlap that of policy 'a b' at a.yaml:5, or another priority");
  }

  @Test
  void namesAreUniqueAcrossFiles() {
    assertThat(
            messages(
                POLICY,
                """
                apiVersion: fencegate/v1
                resources: [{ name: p, match: b, adapter: db }]
                """))
        .containsExactly(
            "b.yaml:2:21: /resources/0/name: 'p' was given, expected another name than that of"
                + " policy 'p' at a.yaml:5");
  }

  @Test
  void settingsThatLookLikeTagsOrAliasesAreNotRepeated() {
    for (String setting : List.of("*hunter2", "&hunter2 x", "!hunter2 x", "!a!hunter2 x", "0123")) {
      List<String> told =
          messages(
              "apiVersion: fencegate/v1\nadapters:\n  db:\n    type: memory\n    password: "
                  + setting
                  + "\n");
      assertThat(told).hasSize(1).noneMatch(message -> message.contains("hunter2"));
      assertThat(told).noneMatch(message -> message.contains("0123"));
      assertThat(told.get(0)).startsWith("a.yaml:5:15: ");
    }
  }
}
