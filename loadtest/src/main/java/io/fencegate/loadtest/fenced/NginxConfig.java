/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

/**
 * Configurations of nginx: one process, no log of requests, connections to whatever is behind it
 * kept open and never ended for their number of requests. Pure.
 */
final class NginxConfig {

  /** More than any run sends over one connection. */
  private static final int REQUESTS_PER_CONNECTION = 100_000_000;

  /** Two for each of the generator's at most, three where a check service is asked. */
  private static final int CONNECTIONS = 4_096;

  /** One process, so that it ends with its id; what it does for a request is the same. */
  private static final String FRAME =
      """
      daemon off;
      master_process off;
      worker_processes 1;
      pid nginx.pid;
      error_log error.log warn;
      events { worker_connections %d; }
      http {
        access_log off;
        default_type application/json;
        keepalive_requests %d;
        client_body_temp_path body;
        proxy_temp_path proxy;
        fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi;
        scgi_temp_path scgi;
      %s}
      """;

  private static final String UPSTREAM =
      """
        upstream %s {
          server 127.0.0.1:%d;
          keepalive %d;
          keepalive_requests %d;
        }
      """;

  private static final String ORIGIN =
      """
        server {
          listen 127.0.0.1:%d;
          location / { return 200 '{"done":true}'; }
        }
      """;

  private static final String PLAIN =
      """
        server {
          listen 127.0.0.1:%d;
          location / {
            proxy_pass http://origin;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
          }
        }
      """;

  private static final String AUTH_REQUEST =
      """
        server {
          listen 127.0.0.1:%d;
          location / {
            auth_request /check;
            proxy_pass http://origin;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
          }
          location = /check {
            internal;
            proxy_pass http://check;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_set_header %s $request_uri;
          }
        }
      """;

  private NginxConfig() {}

  /** The service: answers every method on every path with 200 and a few bytes. */
  static String origin(int port) {
    return framed(ORIGIN.formatted(port));
  }

  /** A plain proxy. */
  static String plain(int port, int origin, int connections) {
    return framed(upstream("origin", origin, connections) + PLAIN.formatted(port));
  }

  /** A proxy that asks a check service before each request. */
  static String authRequest(int port, int origin, int check, int connections) {
    return framed(
        upstream("origin", origin, connections)
            + upstream("check", check, connections)
            + AUTH_REQUEST.formatted(port, CheckService.ORIGINAL_TARGET));
  }

  private static String upstream(String name, int port, int connections) {
    return UPSTREAM.formatted(name, port, connections, REQUESTS_PER_CONNECTION);
  }

  private static String framed(String http) {
    return FRAME.formatted(CONNECTIONS, REQUESTS_PER_CONNECTION, http);
  }
}
