"""A stand-in for the Hub on this machine: the few requests that a push makes, kept in memory."""

import base64
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NOTES = ".gitattributes"  # which the Hub puts into every repository


class Hub(ThreadingHTTPServer):
    """Repositories, large objects, commits and tags, and a list of the requests that came.

    `objects_until_stall` lets so many large objects in, then answers no more, as a lost network does.
    With a `status` it answers that to everything, and `answer`.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.files, self.objects, self.tags, self.requests = {}, {}, {}, []
        self.commits, self.objects_until_stall, self.status, self.answer = 0, None, None, {"error": "no"}
        self.lock, self.gone = threading.Lock(), threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def received(self, method):
        return [path for each, path in self.requests if each == method]

    def handle_error(self, request, client_address):
        """A client that went away is no news."""


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def _json(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def do_GET(self):
        hub, path = self.server, self.path.split("?")[0]
        hub.requests.append(("GET", path))
        if hub.status:
            self._json(hub.answer, hub.status)
        elif path.endswith("/refs"):
            tags = [{"name": name, "ref": f"refs/tags/{name}", "targetCommit": oid} for name, oid in hub.tags.items()]
            self._json({"branches": [], "converts": [], "tags": tags})
        elif "/tree/" in path:
            self._json([{"type": "file", "path": name, "size": 1, "oid": "0" * 40} for name in (NOTES, *hub.files)])
        elif path.endswith("/revision/main") or path.count("/") == 4:
            names = [{"rfilename": name} for name in (NOTES, *hub.files)]
            self._json({"id": "org/name", "sha": f"{hub.commits:040d}", "siblings": names})
        else:
            self._json({"error": f"unknown {path}"}, 404)

    def do_PUT(self):
        hub, body = self.server, self._body()
        with hub.lock:
            stalled = hub.objects_until_stall is not None and len(hub.objects) >= hub.objects_until_stall
            if not stalled:
                hub.requests.append(("PUT", self.path))
                hub.objects[hashlib.sha256(body).hexdigest()] = body
        if stalled:
            hub.gone.wait(60)
            return
        self._json({})

    def do_POST(self):
        hub, path, body = self.server, self.path.split("?")[0], self._body()
        hub.requests.append(("POST", path))
        if hub.status:
            self._json(hub.answer, hub.status)
        elif path == "/api/repos/create":
            self._json({"url": f"{hub.url}/datasets/org/name"})
        elif "/preupload/" in path:
            files = [file["path"] for file in json.loads(body)["files"]]
            modes = {name: "lfs" if name.endswith(".parquet") else "regular" for name in files}
            self._json({"files": [{"path": n, "uploadMode": m, "shouldIgnore": False} for n, m in modes.items()]})
        elif path.endswith("/info/lfs/objects/batch"):
            self._json({"transfer": "basic", "objects": [self._object(each) for each in json.loads(body)["objects"]]})
        elif "/commit/" in path:
            self._commit([json.loads(line) for line in body.splitlines()])
        elif "/tag/" in path:
            hub.tags[json.loads(body)["tag"]] = path.rsplit("/", 1)[1]
            self._json({})
        elif path == "/api/validate-yaml":
            self._json({"errors": [], "warnings": []})
        else:
            self._json({"error": f"unknown {path}"}, 404)

    def _object(self, each):
        upload = {"upload": {"href": f"{self.server.url}/object/{each['oid']}"}}
        return {**each, **({} if each["oid"] in self.server.objects else {"actions": upload})}

    def _commit(self, lines):
        hub = self.server
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                hub.files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                hub.files[value["path"]] = hub.objects[value["oid"]]
            elif line["key"] == "deletedFile":
                del hub.files[value["path"]]
        hub.commits += 1
        oid = f"{hub.commits:040d}"
        self._json({"success": True, "commitOid": oid, "commitUrl": f"{hub.url}/datasets/org/name/commit/{oid}"})
