from ..rules import is_receipt


class Base:
    def accept(self, content):
        answer = self.ask(content)
        return is_receipt(answer.full_text_annotation.text)
