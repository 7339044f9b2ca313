"""The peer of the events bench: an operator as Kopf's own guide writes it, run as `kopf run` runs it. For every Thing it
creates a ConfigMap. Kopf's settings are left as they are."""

import kopf
import kubernetes


@kopf.on.startup()
def configure(**_):
    kubernetes.config.load_kube_config()


@kopf.on.create("bench.tiphys.dev", "v1", "things")
def create(name, namespace, spec, **_):
    child = kubernetes.client.V1ConfigMap(
        metadata=kubernetes.client.V1ObjectMeta(name=name, labels={"bench": "child"}),
        data={"value": spec["value"]},
    )
    kubernetes.client.CoreV1Api().create_namespaced_config_map(namespace, child)
