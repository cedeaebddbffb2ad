"""Sends the request that the manifests for Kubernetes describe."""

import http.client
import socket
import ssl

import yaml

from world import ROOT


def load(name):
    with open(f"{ROOT}/apps/packaging/server/{name}.yaml") as file:
        return {document["kind"]: document["spec"] for document in yaml.safe_load_all(file)}


def get(server, path, context, name, headers):
    link = socket.create_connection(("127.0.0.1", server.port), 10)
    connection = http.client.HTTPConnection(name)
    with context.wrap_socket(link, server_hostname=name) as connection.sock:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def scrape(world):
    """The monitor finds the pods and their port, and its token is what the metrics take."""
    manifests = load("kubernetes") | load("monitor")
    deployment, monitor = manifests["Deployment"], manifests["PodMonitor"]
    template, budget = deployment["template"], manifests["PodDisruptionBudget"]
    for selector in deployment["selector"], monitor["selector"], budget["selector"]:
        assert selector["matchLabels"] == template["metadata"]["labels"], selector
    assert 1 <= budget["maxUnavailable"] < deployment["replicas"], budget
    # Or the service's address would be in variables that have the names of options.
    assert template["spec"]["enableServiceLinks"] is False, template["spec"]
    (container,), (endpoint,) = template["spec"]["containers"], monitor["podMetricsEndpoints"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert f"--http=0.0.0.0:{ports[endpoint['port']]}" in container["args"], container["args"]

    # The secret `tickid-scrape`.
    with open(world.certificate) as file:
        secret = {"token": world.token, "ca.crt": file.read()}
    assert endpoint["scheme"] == "https", endpoint
    authorization, tls = endpoint["authorization"], endpoint["tlsConfig"]
    credentials = f"{authorization['type']} {secret[authorization['credentials']['key']]}"
    context = ssl.create_default_context(cadata=secret[tls["ca"]["secret"]["key"]])
    send = lambda headers: get(
        world.protected, endpoint["path"], context, tls["serverName"], headers
    )
    status, text = send({"Authorization": credentials})
    assert status == 200 and "\ntickid_server_connections" in text, (status, text)
    for headers in {}, {"Authorization": credentials[:-1] + "x"}:
        assert send(headers)[0] == 401, headers
