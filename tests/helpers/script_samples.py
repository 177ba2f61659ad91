"""A name or two, and a sentence, of each script."""

from __future__ import annotations

#: A name or two, and a sentence, as their writers would write them.
SAMPLES = {
    "romanian": "Ștefan Țiriac din Iași",
    "vietnamese": "Nguyễn Thị Ánh Tuyết, Đại học Bách khoa",
    "baltic": "Ģirts Ķēniņš, Žydrūnė Šėkštė",
    "greek": "Ιωάννα Παπαδοπούλου, Ἀθῆναι",
    "cyrillic": "Наталія Їжак; Қасымов Әлихан",
    "yoruba": "Ẹ̀kọ́ Yorùbá",
    "chinese": "李明在北京大学研究机器学习，发表了论文。",
    "japanese": "山田太郎は「東京大学」で研究しました。",
    "korean": "유경인 서울대학교",
    "hindi": "दिल्ली विश्वविद्यालय",
    "thai": "จุฬาลงกรณ์มหาวิทยาลัย",
    "hebrew": "אוניברסיטת תל אביב",
    "arabic": "جامعة القاهرة",
}
#: Words with places where a joiner, or another sign that isn't printed, may stand.
JOINED = {
    "persian": "مهندس نرم|افزار می|خواهم",
    "urdu": "علم|و|فن",
    "arabic": "ال|سلام عليكم",
    "uyghur": "ئۇي|غۇر",
    "hebrew": "של|ום עולם",
    "syriac": "ܫܠ|ܡܐ",
    "thaana": "ދިވެ|ހި",
    "devanagari": "क्|ष राज|न",
    "bengali": "র‍|্যাব",
    "latin": "Auf|lage und Schiff|fahrt",
}
RIGHT_TO_LEFT = ("hebrew", "arabic")
#: A document that runs from right to left, with all that is turned round in it, and a link.
HEBREW = """\
name: {full: דוד כהן, native: David Cohen}
locale: he
contact: {phone: "+972 50 123 4567", email: d@example.org}
sections:
  - kind: experience
    title: ניסיון
    items:
      - title: חוקר בכיר
        employer: אוניברסיטת תל אביב
        date: 2019 – 2021
        bullets:
          - "הוביל צוות של **חמישה חוקרים** (תל אביב) ב-Google Inc. בשנת 2019."
          - "בנה [מערכת חיפוש](https://example.org/1) שמשרתת 3,000 משתמשים."
"""
