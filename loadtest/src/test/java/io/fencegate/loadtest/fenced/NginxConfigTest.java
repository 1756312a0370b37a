/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NginxConfigTest {

  @Test
  void everyNginxIsOneProcessOnLoopbackThatLogsNoRequests() {
    for (String config :
        new String[] {
          NginxConfig.origin(1), NginxConfig.plain(1, 2, 64), NginxConfig.authRequest(1, 2, 3, 64)
        }) {
      assertThat(config)
          .contains("daemon off;", "master_process off;", "access_log off;", "listen 127.0.0.1:1;")
          .doesNotContain("%");
    }
  }

  @Test
  void connectionsToWhatIsBehindAreKept() {
    String config = NginxConfig.authRequest(1, 2, 3, 64);
    assertThat(config).contains("server 127.0.0.1:2;", "server 127.0.0.1:3;");
    assertThat(config.split("keepalive 64;", -1)).hasSize(3);
    assertThat(config.split("proxy_set_header Connection \"\";", -1)).hasSize(3);
  }
}
