/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.lab;

import java.nio.file.Path;

/**
 * PEM files.
 *
 * @param ca certificate that signed the others
 * @param cert certificate shown to the other side, good for 127.0.0.1 and localhost
 * @param key its private key, PKCS #8
 */
public record TlsFiles(Path ca, Path cert, Path key) {}
