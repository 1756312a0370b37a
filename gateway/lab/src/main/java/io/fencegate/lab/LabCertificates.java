/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.lab;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** A certificate authority of its own and one certificate, made by the JDK's keytool. */
public final class LabCertificates {

  /** Guards nothing: the files live as long as a test. */
  private static final String STORE_PASSWORD = "fencegate-lab";

  private static final String VALIDITY_DAYS = "7";
  private static final int PEM_LINE_CHARS = 64;

  private final Path directory;

  private LabCertificates(Path directory) {
    this.directory = directory;
  }

  /** Makes the files in a directory, for both sides of connections to 127.0.0.1 and localhost. */
  public static TlsFiles make(Path directory) {
    try {
      return new LabCertificates(directory).make();
    } catch (IOException | GeneralSecurityException e) {
      throw new LabException("cannot make certificates in " + directory, e);
    }
  }

  private TlsFiles make() throws IOException, GeneralSecurityException {
    Path ca = directory.resolve("ca.pem");
    Path request = directory.resolve("request.pem");
    Path cert = directory.resolve("cert.pem");
    keytool("ca", "-genkeypair", "-dname", "CN=lab-ca", "-ext", "bc:c=ca:true");
    keytool("node", "-genkeypair", "-dname", "CN=lab");
    keytool("ca", "-exportcert", "-rfc", "-file", ca.toString());
    keytool("node", "-certreq", "-file", request.toString());
    keytool(
        "ca",
        "-gencert",
        "-rfc",
        "-infile",
        request.toString(),
        "-outfile",
        cert.toString(),
        "-ext",
        "san=ip:127.0.0.1,dns:localhost",
        "-ext",
        "eku=serverAuth,clientAuth");
    return new TlsFiles(ca, cert, exportKey());
  }

  private Path exportKey() throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream stored = Files.newInputStream(store("node"))) {
      keys.load(stored, STORE_PASSWORD.toCharArray());
    }
    byte[] der = keys.getKey("node", STORE_PASSWORD.toCharArray()).getEncoded();
    String base64 = Base64.getMimeEncoder(PEM_LINE_CHARS, new byte[] {'\n'}).encodeToString(der);
    Path key = directory.resolve("key.pem");
    Files.writeString(
        key, "-----BEGIN PRIVATE KEY-----\n" + base64 + "\n-----END PRIVATE KEY-----\n");
    return key;
  }

  private void keytool(String alias, String action, String... more) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(action, "-alias", alias, "-keystore", store(alias).toString()));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", STORE_PASSWORD));
    if (action.equals("-genkeypair")) {
      command.addAll(List.of("-keyalg", "RSA", "-keysize", "2048"));
    }
    if (action.startsWith("-gen")) {
      command.addAll(List.of("-validity", VALIDITY_DAYS));
    }
    command.addAll(List.of(more));
    Programs.run(command, Map.of());
  }

  private Path store(String alias) {
    return directory.resolve(alias + ".p12");
  }
}
