"""Which are two-player zero-sum discrete finite deterministic games of perfect information?

Answer yes or no; an empty line shows the answer.
"""

import argparse

from threefold.cli.output import add_json, print_json, print_line
from threefold.textbook.quiz import PROPERTIES, QUESTIONS

NAME = "quiz"
HELP = "which games is minimax made for?"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold quiz`."""
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Ask, or with --json print all questions with their answers."""
    if args.json:
        asked = [
            {
                "game": q.game,
                "is_one": q.is_one,
                "lacks": q.lacks,
                "explanation": q.explanation(),
            }
            for q in QUESTIONS
        ]
        print_json({"properties": PROPERTIES, "questions": asked})
        return 0
    print_line(f"Is it {', '.join(PROPERTIES[:-1])}, of {PROPERTIES[-1]}?\n")
    right = answered = 0
    for question in QUESTIONS:
        try:
            said = input(f"{question.game}? ").strip().lower()[:1]
        except EOFError:
            print_line()
            break
        if said in {"y", "n"}:
            answered += 1
            right += said == ("y" if question.is_one else "n")
        print_line(question.explanation())
    print_line(f"\n{right} of {answered} right")
    return 0
