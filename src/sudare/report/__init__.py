"""Cards, charts and one-file pages, drawn from plain facts that the caller hands in."""

from sudare.report.card import Card
from sudare.report.charts import Interval, budget_bar, interval_chart, share_chart
from sudare.report.ledger_page import ledger_page
from sudare.report.page import page

__all__ = ["Card", "Interval", "budget_bar", "interval_chart", "ledger_page", "page", "share_chart"]
