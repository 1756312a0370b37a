/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A settlement file, read: {@code posting_id,account,currency,amount} after a header line. A line
 * that cannot be used is set aside with its number, and the rest is posted.
 *
 * @param postings what is to be posted, in the file's order, each id once
 * @param malformed lines that are no posting
 * @param duplicates lines whose posting id has come before
 */
record SettlementFile(List<Posting> postings, List<SetAside> malformed, List<SetAside> duplicates) {

  private static final String HEADER = "posting_id,account,currency,amount";
  private static final String EXPECTED =
      "posting_id,account,currency,amount such as EU-2026-11-0001,ACC-0017,EUR,-12.50";
  private static final Pattern LINE =
      Pattern.compile(
          "([A-Z0-9-]{1,32}),([A-Z0-9-]{1,34}),([A-Z]{3}),(-?[0-9]{1,12}(?:\\.[0-9]{1,4})?)");

  /** A line that is not posted, by its number in the file (the header is 1). */
  record SetAside(int line, String why) {}

  SettlementFile {
    postings = List.copyOf(postings);
    malformed = List.copyOf(malformed);
    duplicates = List.copyOf(duplicates);
  }

  static SettlementFile read(Path file) throws IOException {
    return parse(Files.readAllLines(file, StandardCharsets.UTF_8));
  }

  static SettlementFile parse(List<String> lines) {
    Map<String, Integer> firstLines = new LinkedHashMap<>();
    List<Posting> postings = new ArrayList<>();
    List<SetAside> malformed = new ArrayList<>();
    List<SetAside> duplicates = new ArrayList<>();
    if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
      malformed.add(new SetAside(1, "expected the header " + HEADER));
    }
    for (int i = 1; i < lines.size(); i++) {
      int number = i + 1;
      Matcher line = LINE.matcher(lines.get(i));
      if (!line.matches()) {
        malformed.add(new SetAside(number, "expected " + EXPECTED));
        continue;
      }
      Integer before = firstLines.putIfAbsent(line.group(1), number);
      if (before != null) {
        duplicates.add(
            new SetAside(number, "posting " + line.group(1) + " stands in line " + before));
        continue;
      }
      postings.add(
          new Posting(line.group(1), line.group(2), line.group(3), new BigDecimal(line.group(4))));
    }
    return new SettlementFile(postings, malformed, duplicates);
  }
}
