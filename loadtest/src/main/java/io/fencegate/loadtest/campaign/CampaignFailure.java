/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.campaign;

/** The campaign itself could not be run; says nothing of the product. */
public final class CampaignFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  CampaignFailure(String message) {
    super(message);
  }

  CampaignFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
