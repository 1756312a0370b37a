/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One connection on which bytes go as they are. */
final class RawHttp implements AutoCloseable {

  private final Socket socket;
  private final OutputStream out;
  private final InputStream in;

  RawHttp(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(20_000);
    out = socket.getOutputStream();
    in = socket.getInputStream();
  }

  /** Sends a request and reads to the end of the connection. */
  static String exchange(int port, String request) throws IOException {
    try (RawHttp raw = new RawHttp(port)) {
      raw.send(request);
      return raw.rest();
    }
  }

  void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  void send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  String rest() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  /** Reads to the empty line after a head. */
  String head() throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    String text = "";
    while (!text.endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        return text;
      }
      head.write(next);
      text = head.toString(StandardCharsets.ISO_8859_1);
    }
    return text;
  }

  /** Says that nothing more comes, and goes on reading. */
  void endSending() throws IOException {
    socket.shutdownOutput();
  }

  /** Hangs up with a TCP reset. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
