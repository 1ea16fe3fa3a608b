"""A longer program: a small bank with errors, logging and a report."""
import json
import logging
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal

logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(message)s", level=logging.INFO)


class InsufficientFunds(Exception):
    def __init__(self, account, missing):
        super().__init__(f"{account.owner} lacks {missing}")
        self.account, self.missing = account, missing


@dataclass
class Account:
    owner: str
    balance: Decimal = Decimal(0)
    history: list = field(default_factory=list)

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError(f"cannot deposit {amount}")
        self.balance += amount
        self.history.append(("deposit", amount))

    def withdraw(self, amount):
        if amount > self.balance:
            raise InsufficientFunds(self, amount - self.balance)
        self.balance -= amount
        self.history.append(("withdraw", amount))


class Bank:
    def __init__(self):
        self.accounts = {}
        self.totals = defaultdict(Decimal)

    def open(self, owner):
        self.accounts[owner] = Account(owner)
        return self.accounts[owner]

    def transfer(self, a, b, amount):
        amount = Decimal(amount)
        self.accounts[a].withdraw(amount)
        self.accounts[b].deposit(amount)
        self.totals[a, b] += amount
        logging.info("moved %s from %s to %s", amount, a, b)


bank = Bank()
for name in ("ada", "bob"):
    bank.open(name).deposit(Decimal("100.50"))
bank.transfer("ada", "bob", "50.25")
try:
    bank.transfer("ada", "bob", 1000)
except InsufficientFunds as e:
    logging.error("%s", e)
print(json.dumps({n: str(a.balance) for n, a in bank.accounts.items()}, indent=2))
bank.transfer("bob", "nobody", 1)
