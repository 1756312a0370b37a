/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.http.HttpServerRequest;

/**
 * Resource names in paths, taken from the path as it came: nothing is decoded or normalised, and
 * whatever the grammar does not know is refused.
 */
public final class ResourcePaths {

  private ResourcePaths() {}

  /** The name between prefix and suffix. */
  public static Ruling<ResourceName> resource(
      HttpServerRequest request, String prefix, String suffix) {
    String path = request.path();
    if (!path.startsWith(prefix)
        || !path.endsWith(suffix)
        || path.length() < prefix.length() + suffix.length()) {
      return Ruling.refused(
          RefusalCode.INVALID_RESOURCE
              .because("the path is not " + prefix + "{resource}" + suffix)
              .atField("resource"));
    }
    return ResourceName.parse(path.substring(prefix.length(), path.length() - suffix.length()))
        .fold(
            Ruling::granted,
            bad ->
                Ruling.refused(Refusal.malformed(RefusalCode.INVALID_RESOURCE, "resource", bad)));
  }
}
