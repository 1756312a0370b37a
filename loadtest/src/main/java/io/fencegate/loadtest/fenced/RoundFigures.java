/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

/**
 * What one round of one way came to.
 *
 * @param wrk as the generator saw it
 * @param cpuMicrosPerRequest processor time of all processes between callers and service
 * @param proxyCorePercent how busy the processor was that they have for themselves; -1 unknown
 * @param loadCorePercent the same of the generator's and the service's
 */
record RoundFigures(
    WrkFigures wrk, double cpuMicrosPerRequest, long proxyCorePercent, long loadCorePercent) {}
