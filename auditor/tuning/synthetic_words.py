"""Words that end a reply, by language and by whose move is next; written for this project.

Owns the phrases of made endings. Every language has the same kinds of ending, so that no language
hints at an answer. `{x}` stands for a name of a file.
"""

from __future__ import annotations

from msgspec import Struct

NAMES = (
    "`parser.py`",
    "`README.md`",
    "`login.ts`",
    "`schema.sql`",
    "`config.yaml`",
    "`Makefile`",
    "`routes/users.go`",
    "`cache.rs`",
)
"""What `{x}` can be: names, so that they are the same in every language."""


class Words(Struct, frozen=True):
    """One language: requests, what can stand before any ending, and the endings."""

    requests: tuple[str, ...]
    bodies: tuple[str, ...]
    announced: tuple[str, ...]
    partial: tuple[str, ...]
    asked: tuple[str, ...]
    offered: tuple[str, ...]
    reported: tuple[str, ...]
    waits: tuple[str, ...]


WORDS = {
    "en": Words(
        requests=("Fix the failing import in {x}.", "Clean up {x} and add tests."),
        bodies=(
            "I looked through {x} and the two files that use it.",
            "The error comes from {x}: a value is read before it is set.",
            "{x} had three places that did the same thing in different ways.",
        ),
        announced=(
            "Now I'll update {x} to match.",
            "Let me check {x} next.",
            "Next, the tests for {x}:",
            "I'm going to rewrite that part of {x} now.",
            "First I want to see how {x} is loaded.",
            "Moving on to {x}.",
        ),
        partial=(
            "Two of the four steps are done; {x} is next.",
            "That is the first half. Still to do: {x} and the tests.",
            "Part one is in place, the changes in {x} are not made yet.",
        ),
        asked=(
            "Should I change {x} as well, or leave it as it is?",
            "Which of the two do you prefer?",
            "Please run it once and tell me what you see.",
            "I need your key for the test server before I can go on. Can you set it?",
            "Shall I go ahead with this plan?",
        ),
        offered=(
            "If you like, I can also add tests for {x}.",
            "Let me know if you want the same for {x}.",
            "Happy to tidy up {x} too, just say so.",
        ),
        reported=(
            "{x} is fixed and all tests pass.",
            "Done. The change is in {x}.",
            "Everything works as asked; nothing else had to change.",
            "In short: {x} was the cause, and it is repaired.",
            "Committed and pushed.",
            "So the answer is no: {x} is not used anywhere else.",
        ),
        waits=(
            "The build runs in the background; I'll report when it ends.",
            "The job is started, its result will come in by itself.",
        ),
    ),
    "de": Words(
        requests=("Repariere den Import in {x}.", "Räum {x} auf und schreib Tests dazu."),
        bodies=(
            "Ich habe {x} und die beiden Dateien gelesen, die es benutzen.",
            "Der Fehler kommt aus {x}: ein Wert wird gelesen, bevor er gesetzt ist.",
            "In {x} standen drei Stellen, die dasselbe auf verschiedene Weise tun.",
        ),
        announced=(
            "Jetzt passe ich {x} daran an.",
            "Als Nächstes sehe ich mir {x} an.",
            "Nun die Tests für {x}:",
            "Ich schreibe diesen Teil von {x} jetzt um.",
            "Zuerst will ich sehen, wie {x} geladen wird.",
            "Weiter mit {x}.",
        ),
        partial=(
            "Zwei von vier Schritten sind erledigt, {x} kommt als Nächstes.",
            "Das ist die erste Hälfte. Es fehlen noch {x} und die Tests.",
            "Teil eins steht, die Änderungen in {x} sind noch nicht gemacht.",
        ),
        asked=(
            "Soll ich {x} auch ändern oder so lassen?",
            "Welche der beiden Varianten ist dir lieber?",
            "Bitte führe es einmal aus und sag mir, was du siehst.",
            "Ohne deinen Schlüssel für den Testserver geht es nicht. Kannst du ihn setzen?",
            "Soll ich nach diesem Plan vorgehen?",
        ),
        offered=(
            "Wenn du möchtest, schreibe ich auch Tests für {x}.",
            "Sag Bescheid, falls du dasselbe für {x} willst.",
            "Auf Wunsch räume ich auch {x} auf.",
        ),
        reported=(
            "{x} ist repariert, alle Tests laufen durch.",
            "Fertig. Die Änderung steht in {x}.",
            "Alles läuft wie gewünscht, sonst war nichts zu ändern.",
            "Kurz: {x} war die Ursache und ist behoben.",
            "Eingecheckt und hochgeladen.",
            "Die Antwort ist also nein: {x} wird sonst nirgends benutzt.",
        ),
        waits=(
            "Der Bau läuft im Hintergrund, ich melde mich, wenn er fertig ist.",
            "Der Auftrag ist gestartet, sein Ergebnis kommt von selbst.",
        ),
    ),
}
"""Germanic languages; `synthetic_romance` and `synthetic_scripts` have the others."""
