"""A Ray cluster of several nodes on this machine, as a process: its lines say what it has.

Every line on its input adds a node, with these variables in its environment. It is killed in the
end, and its nodes with it.
"""

import json
import os
import sys
from typing import Any

from ray.cluster_utils import Cluster

#: A dead node is noticed after a second or two, not after fifteen.
HEALTH = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
}
NODE: dict[str, Any] = {
    "node_ip_address": "127.0.0.1",
    "num_cpus": 1,
    "object_store_memory": 80 << 20,
}


def main() -> None:
    head = {"include_dashboard": False, "include_log_monitor": False, "_system_config": HEALTH}
    cluster = Cluster(initialize_head=True, head_node_args=NODE | head)
    say(cluster, cluster.head_node)
    for variables in map(json.loads, sys.stdin):
        say(cluster, cluster.add_node(**NODE, env_vars=os.environ | variables))


def say(cluster: Cluster, node: object) -> None:
    raylet = node.all_processes["raylet"][0].process.pid  # type: ignore[attr-defined]
    sys.stdout.write(json.dumps({"address": cluster.address, "raylet": raylet}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
