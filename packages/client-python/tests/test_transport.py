"""The transport of the client, on a server that answers as each test says."""

import gzip
import json
import socket
import threading
import unittest
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from mandat import MandatError, Partenaire, ProblemError, TransportError, Wait

MOI = {"client": "C", "environnement": "staging", "modules": []}
INPUT = {"idExterne": "E-1", "prenom": "Zoé", "nom": "Roy"}


def answer(status, body=b"", **headers):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    kind = "application/json" if status < 400 else "application/problem+json; charset=utf-8"
    headers = {"Content_Type": kind, **headers}

    def send(handler):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        if status != 304:
            handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return send


def refusal(status, code, **headers):
    kind = f"http://localhost/docs/erreurs#{code}"
    return answer(status, {"type": kind, "title": "T", "status": status, "detail": "D", "code": code}, **headers)


def broken(handler):
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def half(handler):
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"client":')
    broken(handler)


def closing(handler):
    """Answers and closes the connection without announcing it."""
    answer(200, MOI)(handler)
    handler.close_connection = True


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append((self.command, self.path, self.headers, body, self.client_address))
        self.server.answers.pop(0)(self)

    do_GET = do_POST = do_PUT = do_DELETE = handle_one

    def log_message(self, *_):
        pass


class Transport(unittest.TestCase):
    def setUp(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.seen, self.server.answers = [], []
        self.seen = self.server.seen
        self.waits, self.slept = [], []
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def connect(self, *answers, address=None, **options):
        self.server.answers.extend(answers)
        settings = {"on_wait": self.waits.append, "sleep": self.slept.append, **options}
        mandat = Partenaire(address or self.address, "mdt_stg_k", **settings)
        self.addCleanup(mandat.close)
        return mandat

    def thrown(self, kind, call, *arguments, **named):
        with self.assertRaises(kind) as caught:
            call(*arguments, **named)
        self.assertIsInstance(caught.exception, MandatError)
        return caught.exception

    def test_sends_the_key_also_to_an_address_that_ends_in_a_slash(self):
        found = self.connect(answer(200, MOI), address=f"{self.address}/").moi.get()
        self.assertEqual((found.data, found.status), (MOI, 200))
        method, path, headers, _, _ = self.seen[0]
        self.assertEqual((method, path), ("GET", "/b2b/v1/moi"))
        self.assertEqual((headers["X-Api-Key"], headers["Accept"]), ("mdt_stg_k", "application/json"))

    def test_an_invalid_address_is_an_error_that_names_it(self):
        for address in ("localhost:3000", "localhost 3000", "http://local host", "ftp://localhost"):
            with self.assertRaisesRegex(ValueError, f"'{address}' is no address."):
                self.connect(address=address)

    def test_a_key_is_sent_without_the_line_end_of_its_file_and_is_in_no_error(self):
        mandat = Partenaire(self.address, "mdt_stg_k\n")
        self.addCleanup(mandat.close)
        self.server.answers.append(answer(200, MOI))
        mandat.moi.get()
        self.assertEqual(self.seen[0][2]["X-Api-Key"], "mdt_stg_k")
        for key in ("", "mdt_stg\n_secret", "mdt_stg_secret\u2019"):
            with self.assertRaises(ValueError) as caught:
                Partenaire(self.address, key)
            self.assertNotIn("secret", repr(caught.exception))

    def test_puts_path_query_and_body_where_they_belong(self):
        mandat = self.connect(answer(200, {}), answer(200, []), answer(201, {}), answer(204))
        mandat.employes.get("a/b é?")
        mandat.employes.list(limite=5, modifieDepuis="2030-01-01T00:00:00Z")
        mandat.employes.create(INPUT)
        self.assertIsNone(mandat.employes.delete("E-1", if_match='"1"').data)
        self.assertEqual(
            [one[:2] for one in self.seen],
            [
                ("GET", "/b2b/v1/employe/a%2Fb%20%C3%A9%3F"),
                ("GET", "/b2b/v1/employe?limite=5&modifieDepuis=2030-01-01T00%3A00%3A00Z"),
                ("POST", "/b2b/v1/employe"),
                ("DELETE", "/b2b/v1/employe/E-1"),
            ],
        )
        self.assertEqual(json.loads(self.seen[2][3]), INPUT)
        self.assertEqual(self.seen[2][2]["Content-Type"], "application/json")
        self.assertEqual(self.seen[3][2]["If-Match"], '"1"')

    def test_a_flag_is_true_or_false(self):
        self.connect(answer(200, {})).sync_v2.sync({}, simulation=True)
        self.assertEqual(self.seen[0][1], "/b2b/v2/sync?simulation=true")

    def test_returns_a_file_as_bytes(self):
        found = self.connect(answer(200, b"bundle", Content_Type="application/x-tar")).dossiers.download("c")
        self.assertEqual(found.data, b"bundle")

    def test_reads_a_compressed_body(self):
        compressed = answer(200, gzip.compress(json.dumps(MOI).encode()), Content_Encoding="gzip")
        self.assertEqual(self.connect(compressed).moi.get().data, MOI)
        self.assertEqual(self.seen[0][2]["Accept-Encoding"], "gzip")

    def test_keeps_its_connection_until_the_server_has_closed_it(self):
        mandat = self.connect(answer(200, MOI), closing, answer(201, INPUT))
        mandat.moi.get()
        mandat.moi.get()
        # The server closes after its answer: wait until that has arrived.
        mandat._idle[0].sock.recv(1, socket.MSG_PEEK)
        mandat.employes.create(INPUT)
        first, second, third = (one[4] for one in self.seen)
        self.assertEqual(first, second)
        self.assertNotEqual(second, third)
        with mandat:
            self.assertEqual(len(mandat._idle), 1)
        self.assertEqual(mandat._idle, [])
        self.assertEqual(self.waits, [])

    def test_threads_share_a_client(self):
        mandat = self.connect(*[answer(200, MOI)] * 200)
        failed = []

        def read():
            try:
                for _ in range(20):
                    assert mandat.moi.get().data == MOI
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=read) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertEqual(len(self.seen), 200)

    def test_repeats_a_read(self):
        proxy = answer(502, b"<p>", Content_Type="text/html")
        for first, seconds, status in [
            (refusal(429, "Debit.Depasse", Retry_After="7"), 7, 429),
            (refusal(503, "Service.Indisponible", Retry_After="3"), 3, 503),
            (refusal(503, "Service.Indisponible"), 0.25, 503),
            (proxy, 0.25, 502),
            (broken, 0.25, None),
            (half, 0.25, None),
        ]:
            with self.subTest(status=status, seconds=seconds):
                self.waits.clear()
                self.assertEqual(self.connect(first, answer(200, MOI)).moi.get().data, MOI)
                self.assertEqual(self.waits, [Wait(seconds, 1, status)])
                self.assertEqual(self.slept.pop(), seconds)

    def test_repeats_put_and_delete_with_the_same_body(self):
        mandat = self.connect(broken, answer(200, {}), broken, answer(204))
        mandat.employes.replace(INPUT)
        mandat.employes.delete("E-1")
        self.assertEqual([one[0] for one in self.seen], ["PUT", "PUT", "DELETE", "DELETE"])
        self.assertEqual(self.seen[0][3], self.seen[1][3])

    def test_repeats_a_post_under_its_key(self):
        mandat = self.connect(broken, refusal(409, "Idempotence.EnCours", Retry_After="1"), answer(201, {}))
        mandat.employes.create(INPUT, idempotency_key="k-1")
        self.assertEqual([one[2]["Idempotency-Key"] for one in self.seen], ["k-1"] * 3)
        self.assertEqual(self.slept, [0.25, 1])

    def test_repeats_any_request_after_429(self):
        self.connect(refusal(429, "Debit.Depasse", Retry_After="2"), answer(201, {})).employes.create(INPUT)
        self.assertEqual(self.slept, [2])

    def test_repeats_up_to_its_maximum_of_attempts_with_twice_the_wait_each_time(self):
        self.thrown(TransportError, self.connect(*[broken] * 5).moi.get)
        self.assertEqual(self.slept, [0.25, 0.5, 1, 2])
        self.thrown(TransportError, self.connect(broken, broken, attempts=2).moi.get)
        self.assertEqual(len(self.seen), 7)

    def test_repeats_at_the_time_that_retry_after_names(self):
        date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=20), usegmt=True)
        self.connect(refusal(503, "Service.Indisponible", Retry_After=date), answer(200, MOI)).moi.get()
        self.assertTrue(10 < self.slept[0] <= 20, self.slept)

    def test_a_date_without_a_zone_is_of_utc_as_all_dates_of_http(self):
        for zone in ("", " -0000"):
            date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=20)).replace(" +0000", zone)
            self.connect(refusal(503, "Service.Indisponible", Retry_After=date), answer(200, MOI)).moi.get()
            self.assertTrue(10 < self.slept.pop() <= 20)

    def test_does_not_repeat_a_post_without_a_key(self):
        proxy = answer(502, b"<p>", Content_Type="text/html")
        for first in (refusal(503, "Service.Indisponible", Retry_After="1"), broken, proxy):
            error = self.thrown(MandatError, self.connect(first).employes.create, INPUT)
            self.assertFalse(getattr(error, "repeatable", False))
        self.assertEqual((len(self.seen), self.waits), (3, []))

    def test_does_not_repeat_other_refusals(self):
        for status in (400, 401, 403, 404, 409, 422, 500):
            error = self.thrown(ProblemError, self.connect(refusal(status, "Un.Code", Retry_After="1")).moi.get)
            self.assertEqual((error.status, error.code), (status, "Un.Code"))
        self.assertEqual(len(self.seen), 7)

    def test_does_not_repeat_if_the_wait_exceeds_the_maximum(self):
        late = refusal(429, "Debit.Depasse", Retry_After="61")
        self.assertEqual(self.thrown(ProblemError, self.connect(late).moi.get).code, "Debit.Depasse")
        self.connect(late, answer(200, MOI), max_wait_seconds=90).moi.get()
        self.assertEqual(self.slept, [61])

    def test_reports_the_error_of_the_service_with_its_members(self):
        fault = {"pointer": "/age", "code": "unknown", "detail": "is not a property of this record"}
        problem = {
            "type": "http://localhost/docs/erreurs#Requete.Invalide",
            "title": "Invalid request",
            "status": 400,
            "detail": "/age: is not a property of this record",
            "code": "Requete.Invalide",
            "traceId": "t-1",
            "errors": [fault],
        }
        error = self.thrown(ProblemError, self.connect(answer(400, problem, X_Request_Id="r-1")).employes.create, INPUT)
        self.assertEqual(
            (error.type, error.title, error.status, error.detail, error.code, error.trace_id, error.errors),
            tuple(problem[name] for name in ("type", "title", "status", "detail", "code", "traceId", "errors")),
        )
        self.assertEqual((error.request_id, error.module), ("r-1", None))
        self.assertEqual(str(error), "400 Requete.Invalide: /age is not a property of this record")

    def test_reports_304(self):
        mandat = self.connect(answer(304, ETag='"1"'))
        error = self.thrown(ProblemError, mandat.employes.get, "E", if_none_match='"1"')
        self.assertEqual((error.status, error.code), (304, None))
        self.assertEqual(self.seen[0][2]["If-None-Match"], '"1"')

    def test_reports_a_refused_connection_at_once(self):
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            closed = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        error = self.thrown(TransportError, self.connect(address=closed).employes.create, INPUT)
        self.assertRegex(str(error), rf"^No connection to {closed} \(.*refused")
        self.assertEqual((error.repeatable, self.waits), (True, []))

    def test_reports_a_silent_service(self):
        released = threading.Event()
        silent = lambda _: released.wait(10)  # noqa: E731
        mandat = self.connect(silent, timeout_seconds=0.1, attempts=1)
        error = self.thrown(TransportError, mandat.moi.get)
        released.set()
        self.assertEqual(str(error), f"The connection to {self.address} broke (timed out)")

    def test_reports_another_service_and_a_redirect_which_does_not_get_the_key(self):
        error = self.thrown(TransportError, self.connect(answer(200, b"<p>", Content_Type="text/html")).moi.get)
        self.assertEqual(str(error), f"What answers at {self.address} is not Mandat (200, text/html)")
        error = self.thrown(TransportError, self.connect(answer(307, Location=f"{self.address}/other")).moi.get)
        self.assertEqual((error.status, len(self.seen)), (307, 2))

    def test_a_value_that_json_does_not_have_is_an_error_before_anything_is_sent(self):
        with self.assertRaises(ValueError):
            self.connect().employes.create({"idExterne": float("nan")})
        self.assertEqual(self.seen, [])


if __name__ == "__main__":
    unittest.main()
