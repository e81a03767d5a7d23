"""The six steps, in their order.

How a step is added, or changed:

1. A module ``sdc_sql/app/<name>.py`` ends with ``STEP = Step(name, title, asks, view, serve, describe)``
   (:class:`sdc_sql.app.step.Step`), and is listed here. The frame does the rest: the list of steps, the heading, the
   question, the address, the focus. A large step has modules beside it: ``<name>_<part>.py``.
2. ``view(desk)`` returns tags, as ``htmltools`` makes them, which escapes every text and attribute; it has a place
   (``desk.place("protect_steps")``) for each part that depends on the release file or is computed. Names of parts and
   acts begin with that of their step.
3. ``serve(desk)`` registers each part: ``@desk.part("protect_steps")`` over a function that returns tags. A part is
   drawn anew when what it read has changed: ``desk.release()`` is the release file (a nested dict),
   ``desk.find_job(...)`` work on a thread. What is computed is shown by ``show.show_job(job, draw)``: progress with a
   button that stops it, the error at this place, or what ``draw(result)`` makes of the result.
4. A button, a field or a form has the attributes ``act("round", column="age")`` (``tags.select(act(...), ...)``), and
   ``@desk.on("round")`` stands over a function of one argument, a dict of what it sent: ``{"column": "age", "value":
   ...}``, of a form the values of all its fields by their names. What it raises of :class:`sdc_sql.errors.SdcError` is
   shown at the place that ``place=...`` of ``act`` names (``show.show_problem(desk, place)``), else above the step. It
   changes the release file by ``desk.state.change(what, edit)``.
5. Give ``id=`` to whatever has the focus when it is used: the focus, what is open (``details``) and the place of
   scrolling (``.wide``) come back by it when a part is drawn anew.

Nothing is computed in the page or here: figures come from the measures (``sdc_sql.risk``, ``figures``, ``release``),
and there is no SQL in this folder.
"""

from __future__ import annotations

from sdc_sql.app import compare, look, protect, release, risk, scenarios

STEPS = (look.STEP, scenarios.STEP, risk.STEP, protect.STEP, compare.STEP, release.STEP)
