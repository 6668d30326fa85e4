"""Serve a page to this machine alone."""

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from clutrr.errors import OutputError


def serve(html: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the page until interrupted. ready: called with its address."""
    content = html.encode("utf-8")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            # A foreign page may give this machine another name; only requests for our names are answered.
            here = self.headers.get("Host") in names
            found = here and self.path.split("?")[0] == "/"
            self.send_response(200 if found else 404 if here else 403)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content) if found else 0))
            self.end_headers()
            if found:
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such port"
        raise OutputError(f"port {port}: {reason}") from None
    names = {f"{name}:{server.server_port}" for name in ("127.0.0.1", "localhost")}
    with server:
        ready(f"http://127.0.0.1:{server.server_port}/")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
