"""The peer of the events bench: an operator as one writes it with Kopf. For every Thing it creates a ConfigMap."""

import kopf
import kubernetes


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_):
    kubernetes.config.load_kube_config()
    # Nothing but its own work: no Kubernetes Events about every handler, as many handlers at once as the others have.
    settings.posting.enabled = False
    settings.execution.max_workers = 16


@kopf.on.create("bench.tiphys.dev", "v1", "things")
def create(name, namespace, spec, **_):
    child = kubernetes.client.V1ConfigMap(
        metadata=kubernetes.client.V1ObjectMeta(name=name, labels={"bench": "child"}),
        data={"value": spec["value"]},
    )
    kubernetes.client.CoreV1Api().create_namespaced_config_map(namespace, child)
