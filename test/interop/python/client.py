"""Drives the agent at the URL that is the first argument with the official Python client: each interface of its card by itself."""

import asyncio
import json
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientError
from a2a.types.a2a_pb2 import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import TaskNotFoundError

# The same as in scenes.mjs.
SCRIPTS = {
    "send": "artifact a a text\ncomplete done",
    "poll": "working\nsleep 300\ncomplete done",
    "stream": "working\nchunks 5 20\ncomplete done",
    "subscribe": "working\nchunks 10 100\ncomplete done",
    "cancel": "working\nhang",
    "ask": "input which one?",
    "answer": "complete done",
    "push": "working\nsleep 500\ncomplete done",
}
COMPLETED = TaskState.TASK_STATE_COMPLETED


def expect(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def text_of(parts):
    return "".join(part.text for part in parts)


def artifact_text(task):
    return "".join(text_of(artifact.parts) for artifact in task.artifacts)


class Scenes:
    """What is asked of a client of one interface. `client` streams, `blocking` does not."""

    def __init__(self, client, blocking):
        self.client = client
        self.blocking = blocking

    def request(self, text, immediately=False, **more):
        message = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)], **more)
        return SendMessageRequest(message=message, configuration=SendMessageConfiguration(return_immediately=immediately))

    async def task(self, text, **more):
        async for response in self.blocking.send_message(self.request(text, **more)):
            return response.task
        raise AssertionError("there was no answer")

    async def until(self, task_id, state):
        for _ in range(200):
            task = await self.client.get_task(GetTaskRequest(id=task_id))
            if task.status.state == state:
                return task
            await asyncio.sleep(0.05)
        raise AssertionError(f"the task does not come to {TaskState.Name(state)}")

    @staticmethod
    async def follow(events):
        """The state that a stream ends with, and the text of its artifact."""
        state, text = None, ""
        async for event in events:
            if event.HasField("task"):
                state, text = event.task.status.state, artifact_text(event.task)
            elif event.HasField("status_update"):
                state = event.status_update.status.state
            elif event.HasField("artifact_update"):
                text += text_of(event.artifact_update.artifact.parts)
        return state, text

    async def send(self):
        task = await self.task(SCRIPTS["send"])
        expect((task.status.state, artifact_text(task), text_of(task.status.message.parts)), (COMPLETED, "a text", "done"))

    async def poll(self):
        task = await self.task(SCRIPTS["poll"], immediately=True)
        assert task.status.state in (TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING)
        await self.until(task.id, COMPLETED)

    async def stream(self):
        seen = await self.follow(self.client.send_message(self.request(SCRIPTS["stream"])))
        expect(seen, (COMPLETED, "1 2 3 4 5 "))

    async def subscribe(self):
        task = await self.task(SCRIPTS["subscribe"], immediately=True)
        seen = await self.follow(self.client.subscribe(SubscribeToTaskRequest(id=task.id)))
        expect(seen, (COMPLETED, "1 2 3 4 5 6 7 8 9 10 "))

    async def list(self):
        context_id = str(uuid.uuid4())
        ids = [(await self.task(SCRIPTS["send"], context_id=context_id)).id for _ in range(3)]
        first = await self.client.list_tasks(ListTasksRequest(context_id=context_id, page_size=2))
        rest = ListTasksRequest(context_id=context_id, page_size=2, page_token=first.next_page_token)
        second = await self.client.list_tasks(rest)
        expect(first.total_size, 3)
        expect(sorted(task.id for task in [*first.tasks, *second.tasks]), sorted(ids))
        expect(second.next_page_token, "")

    async def cancel(self):
        task = await self.task(SCRIPTS["cancel"], immediately=True)
        await self.until(task.id, TaskState.TASK_STATE_WORKING)
        canceled = await self.client.cancel_task(CancelTaskRequest(id=task.id))
        expect(canceled.status.state, TaskState.TASK_STATE_CANCELED)

    async def conversation(self):
        asked = await self.task(SCRIPTS["ask"])
        expect(asked.status.state, TaskState.TASK_STATE_INPUT_REQUIRED)
        done = await self.task(SCRIPTS["answer"], task_id=asked.id, context_id=asked.context_id)
        expect((done.id, done.status.state), (asked.id, COMPLETED))

    async def unknownTask(self):
        try:
            await self.client.get_task(GetTaskRequest(id="00000000-0000-7000-8000-000000000000"))
        except TaskNotFoundError:
            return
        except A2AClientError as error:
            assert "not found" in str(error).lower(), str(error)
            return
        raise AssertionError("an unknown task was found")

    async def push(self):
        with Receiver() as receiver:
            task = await self.task(SCRIPTS["push"], immediately=True)
            config = TaskPushNotificationConfig(task_id=task.id, id="mine", url=receiver.url, token="secret")
            made = await self.client.create_task_push_notification_config(config)
            expect((made.url, made.token), (receiver.url, ""))
            request = ListTaskPushNotificationConfigsRequest(task_id=task.id)
            listed = await self.client.list_task_push_notification_configs(request)
            expect([one.id for one in listed.configs], ["mine"])
            await self.until(task.id, COMPLETED)
            done = await asyncio.to_thread(receiver.completed.wait, 20)
            assert done, "no notification within 20 s"
            expect(receiver.seen, (task.id, "secret"))


class Receiver:
    """Waits for the notification that a task is COMPLETED."""

    def __init__(self):
        self.completed = threading.Event()
        self.seen = None

    def __enter__(self):
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                told = json.loads(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(200)
                self.end_headers()
                update = told.get("statusUpdate", told)
                if "completed" in update.get("status", {}).get("state", "").lower():
                    outer.seen = (update.get("taskId", update.get("id")), self.headers["x-a2a-notification-token"])
                    outer.completed.set()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        return self

    def __exit__(self, *_):
        self.server.shutdown()


SCENES = ["send", "poll", "stream", "subscribe", "list", "cancel", "conversation", "unknownTask", "push"]


def tell(interface, scene, status, reason=None):
    result = {"interface": interface, "scene": scene, "status": status}
    print(json.dumps(result | ({} if reason is None else {"reason": reason})), flush=True)


async def main(base_url):
    async with httpx.AsyncClient(timeout=30) as http:
        card = await A2ACardResolver(http, base_url).get_agent_card()
        for offered in card.supported_interfaces:
            only = AgentCard()
            only.CopyFrom(card)
            del only.supported_interfaces[:]
            only.supported_interfaces.append(offered)
            name = f"{offered.protocol_binding} {offered.protocol_version}"
            skipped = {} if offered.protocol_version != "0.3" else {"list": "0.3 has none"}
            if not card.capabilities.push_notifications:
                skipped["push"] = "the card does not offer it"

            def client(streaming):
                config = ClientConfig(
                    streaming=streaming,
                    httpx_client=httpx.AsyncClient(timeout=30),
                    grpc_channel_factory=grpc.aio.insecure_channel,
                    supported_protocol_bindings=[offered.protocol_binding],
                )
                return ClientFactory(config).create(only)

            scenes = Scenes(client(True), client(False))
            for scene in SCENES:
                if scene in skipped:
                    tell(name, scene, "skipped", skipped[scene])
                    continue
                try:
                    await asyncio.wait_for(getattr(scenes, scene)(), 60)
                    tell(name, scene, "passed")
                except Exception as error:
                    tell(name, scene, "failed", f"{type(error).__name__}: {error}")


asyncio.run(main(sys.argv[1]))
