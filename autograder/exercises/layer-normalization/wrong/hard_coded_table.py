"""The table printed in the lesson is typed into the function."""

hint = "Give your function another bank: does the table change?"
loses = ["drift_table"]


def drift_table(Ws, depths) -> str:
    return """\
 depth N |   stream res |   stream pre |     grad res |     grad pre
--------------------------------------------------------------------
       1 |     9.061506 |     9.098291 |     8.671100 |     8.583770
       5 |    11.897869 |    10.823951 |    14.544574 |    10.801351
      10 |    13.458295 |    11.229363 |    18.981747 |    15.100745
      20 |    20.842430 |    15.302954 |    25.643279 |    36.540753
      50 |    35.373913 |    22.560219 |    48.116974 |    44.784186
     100 |    74.563938 |    37.715616 |   153.000029 |    72.572122"""
