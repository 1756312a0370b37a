/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import io.fencegate.policy.model.PolicySet;
import io.fencegate.policy.model.ResourcePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Reads policy files. Pure: files and the values of placeholders are handed in.
 *
 * <p>Several files make one set: they share their adapters, and names are unique across them.
 * Either all of it is understood or nothing is used, and then every reason is told.
 */
public final class PolicyFiles {

  private PolicyFiles() {}

  /**
   * Loads a set of files.
   *
   * @param files in the order in which messages are told; none gives a set that denies everything
   * @param resolver where {@code ${env:NAME}} and {@code ${file:/path}} get their values
   */
  public static PolicyLoad load(List<SourceFile> files, ValueResolver resolver) {
    Loading loading = new Loading();
    files.forEach(file -> loading.read(file, resolver));
    loading.checkSet();
    List<PolicyMessage> messages = loading.messages();
    return messages.isEmpty()
        ? new PolicyLoad.Loaded(loading.policies())
        : new PolicyLoad.Broken(messages);
  }

  /** The JSON Schema (draft-07) of policy files, for editors. */
  public static String schema() {
    return PolicySchema.text();
  }

  /** A file's content; {@code offset} resources stand in the files before it. */
  private record Tree(String file, Node root, int offset) {}

  /** One run over a set of files. */
  private static final class Loading {
    private final List<Problems> problems = new ArrayList<>();
    private final AdapterReader adapters = new AdapterReader();
    private final List<Draft> drafts = new ArrayList<>();
    private final List<Tree> trees = new ArrayList<>();
    private boolean allReadable = true;

    void read(SourceFile file, ValueResolver resolver) {
      Problems found = new Problems(file.name());
      problems.add(found);
      Optional<Node> root = YamlReader.read(file, resolver, found);
      root.ifPresent(tree -> read(tree, found));
      allReadable &= root.isPresent();
    }

    private void read(Node root, Problems found) {
      SchemaCheck.check(root, found);
      trees.add(new Tree(found.file(), root, drafts.size()));
      adapters.read(root, found);
      if (root instanceof Node.Mapping mapping
          && mapping.get("resources") instanceof Node.Sequence resources) {
        resources.items().forEach(item -> drafts.add(new ResourceReader(item, found).read()));
      }
    }

    void checkSet() {
      SetChecks checks = new SetChecks(drafts);
      checks.namesAreUnique();
      checks.patternsDoNotOverlap();
      checks.routesDoNotOverlap();
      if (allReadable) {
        checks.adaptersExist(adapters.names());
      }
    }

    List<PolicyMessage> messages() {
      return problems.stream().flatMap(found -> found.inOrder().stream()).toList();
    }

    /** Without problems every draft is a policy, so indices are those of the files. */
    LoadedPolicies policies() {
      List<ResourcePolicy> policies =
          drafts.stream().map(Draft::policy).map(Optional::orElseThrow).toList();
      List<PlacedPolicy> placed =
          IntStream.range(0, policies.size())
              .mapToObj(i -> new PlacedPolicy("/resources/" + i, policies.get(i)))
              .toList();
      PlaceIndex places = new PlaceIndex();
      trees.forEach(tree -> places.add(tree.file(), tree.root(), tree.offset()));
      return new LoadedPolicies(new PolicySet(adapters.adapters(), policies), placed, places);
    }
  }
}
