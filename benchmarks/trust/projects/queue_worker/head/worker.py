"""Works through a queue of comments."""

import queue
import sys
import threading

from google.cloud import language_v1


class Worker:
    def __init__(self, client=None, workers=2):
        self.client = client or language_v1.LanguageServiceClient()
        self.waiting = queue.Queue()
        self.lock = threading.Lock()
        self.counts = {"good": 0, "bad": 0, "mixed": 0}
        self.workers = workers

    def classify(self, text):
        document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
        answer = self.client.analyze_sentiment(document=document).document_sentiment
        if answer.score > 0.2:
            return "good"
        if answer.score < -0.2:
            return "bad"
        return "mixed"

    def work(self):
        while True:
            try:
                text = self.waiting.get_nowait()
            except queue.Empty:
                return
            kind = self.classify(text)
            with self.lock:
                self.counts[kind] += 1

    def run(self, texts):
        for text in texts:
            self.waiting.put(text)
        threads = [threading.Thread(target=self.work) for _ in range(self.workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return dict(self.counts)


def classify_one(text):
    return Worker(workers=1).classify(text)


def main():
    lines = [line.strip() for line in sys.stdin if line.strip()]
    if not lines:
        print("nothing to do")
        return
    print(Worker().run(lines))


if __name__ == "__main__":
    main()
