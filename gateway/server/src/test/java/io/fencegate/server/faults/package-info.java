/* SPDX-License-Identifier: Apache-2.0 */
/** Faults of the coordinator as workers of running gateways meet them. */
package io.fencegate.server.faults;
